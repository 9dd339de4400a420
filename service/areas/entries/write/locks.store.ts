/**
 * Locks of entries. Whoever writes holds what is named against removal first, all at once in the order of ids, and then
 * locks what it changes, in the same order; whoever removes locks what goes and what refers to it, all at once in that
 * order. So nobody waits for somebody who waits for them.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../kernel/db/database.ts';
import type { EntryType, SchemaField, Vals } from '../../schema/index.ts';

/** Keeps entries that are referred to from being removed before the transaction ends; answers the types of those there are. */
export async function holdReferred(
  tx: Tx,
  siteId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ entry_id: number; type_id: number }>`
    select entry_id, type_id from entry where site_id = ${siteId} and entry_id = any(${[...ids]}::int[])
    order by entry_id for key share`.execute(tx);
  return new Map(rows.map((row) => [row.entry_id, row.type_id]));
}

/** A function of the database takes a hundred arguments; of most fields the whole is as quick as its parts. */
const MOST_PARTS = 20;

/** The values of these fields alone: of ten thousand entries the whole would be many megabytes. */
function partOf(type: EntryType, fieldIds: ReadonlySet<number>): RawBuilder<Vals> {
  const ids = type.fields.map(({ id }) => id).filter((id) => fieldIds.has(id));
  if (ids.length > MOST_PARTS || ids.length > type.fields.length / 2) return sql`vals`;
  const parts = ids.map((id) => sql`${sql.lit(String(id))}, vals -> ${sql.lit(String(id))}`);
  return sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(parts)}))`;
}

/**
 * Entries of a type that exist, with what they hold of these fields: they do not change before the transaction ends, but
 * others may refer to them.
 */
export async function lockEntries(
  tx: Tx,
  siteId: number,
  type: EntryType,
  ids: readonly number[],
  fieldIds: ReadonlySet<number>,
): Promise<Map<number, Vals>> {
  const { rows } = await sql<{ entry_id: number; vals: Vals }>`
    select entry_id, ${partOf(type, fieldIds)} as vals from entry
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and type_id = ${type.id}
    order by entry_id for no key update`.execute(tx);
  return new Map(rows.map((row) => [row.entry_id, row.vals]));
}

/** An entry of any type with what it holds. */
export interface Held {
  entryId: number;
  typeId: number;
  vals: Vals;
}

/** Locks entries that go away, with those that refer to them: nobody begins to refer to any of them. */
export async function lockWithHolders(
  tx: Tx,
  siteId: number,
  references: readonly SchemaField[],
  ids: readonly number[],
): Promise<Map<number, Held>> {
  const locked = new Map<number, Held>();
  let missing = [...ids, ...(await referring(tx, siteId, references, ids))];
  // The second time finds who began to refer to them until they were locked, which nobody does from then on.
  while (missing.length > 0) {
    // oxlint-disable-next-line no-await-in-loop -- each look follows from the locks before it
    for (const held of await lockAll(tx, siteId, missing)) locked.set(held.entryId, held);
    const looked = new Set([...missing, ...locked.keys()]);
    // oxlint-disable-next-line no-await-in-loop
    missing = (await referring(tx, siteId, references, ids)).filter((id) => !looked.has(id));
  }
  return locked;
}

async function lockAll(tx: Tx, siteId: number, ids: readonly number[]): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select entry_id as "entryId", type_id as "typeId", vals from entry
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) order by entry_id for update`.execute(
    tx,
  );
  return rows;
}

/** Entries that refer to these. */
async function referring(
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
