import { sql } from 'kysely';
import type { Tx } from '../../../kernel/db/database.ts';
import type { StoredValue, StoredValues } from '../../schema/index.ts';
import { CAUSE } from './write.store.ts';

/**
 * Values of reference fields before references were first removed from them since a time, because entries were deleted; by entry id and
 * field id, separated by a space.
 */
export async function listRemovedReferences(
  tx: Tx,
  siteId: number,
  { entryIds, fieldIds, since }: { entryIds: readonly number[]; fieldIds: readonly number[]; since: Date },
): Promise<Map<string, StoredValue>> {
  const { rows } = await sql<{ key: string; old: StoredValue }>`
    select distinct on (entry_id, field_id) entry_id || ' ' || field_id as key, old from cell_log
    where site_id = ${siteId} and entry_id = any(${[...entryIds]}::int[]) and field_id = any(${[...fieldIds]}::int[])
      and at >= ${since} and cause = ${CAUSE.indirect} and old is not null
    order by entry_id, field_id, seq`.execute(tx);
  return new Map(rows.map(({ key, old }) => [key, old]));
}

/** The ids that are or were entries of a type. */
export async function listIdsOfType(
  tx: Tx,
  siteId: number,
  typeId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select entry_id as id from entry_change
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and type_id = ${typeId}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Values of the entries of any type that exist, by id. */
export async function readEntries(
  tx: Tx,
  siteId: number,
  ids: readonly number[],
): Promise<Map<number, StoredValues>> {
  const { rows } = await sql<{ id: number; vals: StoredValues }>`
    select entry_id as id, vals from entry where site_id = ${siteId} and entry_id = any(${[...ids]}::int[])`.execute(
    tx,
  );
  return new Map(rows.map(({ id, vals }) => [id, vals]));
}
