/**
 * Row locks of entries. A write first locks the referenced entries against removal in the order of ids, then the entries it
 * changes in the same order. A removal locks the removed entries and their referrers together in that order. The common
 * order rules out deadlocks.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../kernel/db/database.ts';
import { equalsAny } from '../../../kernel/db/ids.ts';
import type { EntryType, SchemaField, StoredValues } from '../../schema/index.ts';

/** Locks referenced entries against removal until the transaction ends; returns the type ids of the existing ones. */
export async function lockReferencedEntries(
  tx: Tx,
  siteId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ entry_id: number; type_id: number }>`
    select entry_id, type_id from entry where site_id = ${siteId} and entry_id ${equalsAny(ids)}
    order by entry_id for key share`.execute(tx);
  return new Map(rows.map((row) => [row.entry_id, row.type_id]));
}

/** With more fields all values are read: it is as fast, and PostgreSQL functions take at most 100 arguments. */
const MAX_SELECTED_FIELDS = 20;

/** Selects the values of these fields only; all values of 10,000 entries would be many megabytes. */
function selectVals(type: EntryType, fieldIds: ReadonlySet<number>): RawBuilder<StoredValues> {
  const ids = type.fields.map(({ id }) => id).filter((id) => fieldIds.has(id));
  if (ids.length > MAX_SELECTED_FIELDS || ids.length > type.fields.length / 2) return sql`vals`;
  const parts = ids.map((id) => sql`${sql.lit(String(id))}, vals -> ${sql.lit(String(id))}`);
  return sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(parts)}))`;
}

/**
 * Locks existing entries of a type against changes until the transaction ends and returns their values of these fields.
 * Other transactions can still add references to them.
 */
export async function lockEntries(
  tx: Tx,
  siteId: number,
  type: EntryType,
  ids: readonly number[],
  fieldIds: ReadonlySet<number>,
): Promise<Map<number, StoredValues>> {
  const { rows } = await sql<{ entry_id: number; vals: StoredValues }>`
    select entry_id, ${selectVals(type, fieldIds)} as vals from entry
    where site_id = ${siteId} and entry_id ${equalsAny(ids)} and type_id = ${type.id}
    order by entry_id for no key update`.execute(tx);
  return new Map(rows.map((row) => [row.entry_id, row.vals]));
}

/** A locked entry of any type that is to be removed, with its values. */
export interface LockedEntry {
  entryId: number;
  typeId: number;
  vals: StoredValues;
}

/** Entries that are to be removed, locked together with their referrers. */
export interface LockedRemoval {
  /** The entries to remove that exist. */
  entries: ReadonlyMap<number, LockedEntry>;
  /** Type ids of all locked entries by entry id. The values of the referrers, which may be very many, are read later in batches. */
  typeIds: ReadonlyMap<number, number>;
}

/** Locks entries that are to be removed together with their referrers; no transaction can add references to them. */
export async function lockEntriesAndReferrers(
  tx: Tx,
  siteId: number,
  references: readonly SchemaField[],
  ids: readonly number[],
): Promise<LockedRemoval> {
  const typeIds = new Map<number, number>();
  let pendingIds = [...ids, ...(await findReferrers(tx, siteId, references, ids))];
  // The second round finds referrers added before the locks were held; none can be added after that.
  while (pendingIds.length > 0) {
    // Each round depends on the locks of the previous one.
    for (const { entryId, typeId } of await lockEntriesForUpdate(tx, siteId, pendingIds))
      typeIds.set(entryId, typeId);
    const seen = new Set([...pendingIds, ...typeIds.keys()]);
    pendingIds = (await findReferrers(tx, siteId, references, ids)).filter((id) => !seen.has(id));
  }
  const { rows } = await sql<LockedEntry>`
    select entry_id as "entryId", type_id as "typeId", vals from entry
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[])`.execute(tx);
  return { entries: new Map(rows.map((entry) => [entry.entryId, entry])), typeIds };
}

async function lockEntriesForUpdate(
  tx: Tx,
  siteId: number,
  ids: readonly number[],
): Promise<Pick<LockedEntry, 'entryId' | 'typeId'>[]> {
  const { rows } = await sql<Pick<LockedEntry, 'entryId' | 'typeId'>>`
    select entry_id as "entryId", type_id as "typeId" from entry
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) order by entry_id for update`.execute(
    tx,
  );
  return rows;
}

/** Ids of the entries that refer to any of `ids`. */
async function findReferrers(
  tx: Tx,
  siteId: number,
  references: readonly SchemaField[],
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct entry_id as id from entry_multi
    where site_id = ${siteId} and field_id = any(${references.map(({ id }) => id)}::int[]) and v = any(${[...ids]}::int[])`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Ids of the entries that refer to each of `ids`. */
export async function groupReferrers(
  tx: Tx,
  siteId: number,
  references: readonly SchemaField[],
  ids: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ id: number; referrers: number[] }>`
    select v as id, array_agg(distinct entry_id) as referrers from entry_multi
    where site_id = ${siteId} and field_id = any(${references.map(({ id }) => id)}::int[]) and v = any(${[...ids]}::int[])
    group by v`.execute(tx);
  return new Map(rows.map(({ id, referrers }) => [id, referrers]));
}
