/** Reads of jobs that change many entries. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { ItemLabels } from '../../../kernel/jobs/item-labels.store.ts';

/** Items that name an entry of the site by `entryId`: its name, also of a deleted one, and its id. */
export const ENTRY_LABELS: ItemLabels = {
  label: sql`nullif(c.name, '')`,
  detail: sql`'Entry ' || (item.value ->> 'entryId')`,
  join: (siteId) =>
    sql`left join entry_change c on c.site_id = ${siteId} and c.entry_id = (item.value ->> 'entryId')::int`,
};

/** Deletions and merges of entries that are not stored any more, by entry id. */
export async function listDeletions(
  tx: Tx,
  siteId: number,
  ids: readonly number[],
): Promise<Map<number, { isMerged: boolean }>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; isMerged: boolean }>`
    select entry_id as id, merged_into is not null as "isMerged" from entry_change
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and deleted_at is not null`.execute(tx);
  return new Map(rows.map(({ id, isMerged }) => [id, { isMerged }]));
}

/** Fields of these entries that another user changed after `since`, by entry id. */
export async function listFieldsChangedByOthers(
  tx: Tx,
  siteId: number,
  {
    ids,
    fieldIds,
    since,
    userId,
  }: { ids: readonly number[]; fieldIds: readonly number[]; since: Date; userId: number | null },
): Promise<Map<number, Set<number>>> {
  const { rows } = await sql<{ id: number; fieldIds: number[] }>`
    select entry_id as id, array_agg(distinct field_id) as "fieldIds" from cell_log
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and field_id = any(${[...fieldIds]}::int[])
      and at > ${since}::timestamptz and user_id is distinct from ${userId}::int
    group by entry_id`.execute(tx);
  return new Map(rows.map((row) => [row.id, new Set(row.fieldIds)]));
}

/** The entries that another user changed directly after `since`. */
export async function listChangedByOthers(
  tx: Tx,
  siteId: number,
  { ids, since, userId }: { ids: readonly number[]; since: Date; userId: number | null },
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select entry_id as id from entry_change where site_id = ${siteId} and entry_id = any(${[...ids]}::int[])
      and direct_at > ${since}::timestamptz and modified_by is distinct from ${userId}::int`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Names of entries and users for the title of a job; missing ones are absent. */
export async function listNames(
  db: Db,
  siteId: number,
  kind: 'entry' | 'user',
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`${
    kind === 'entry'
      ? sql`select entry_id as id, name from entry where site_id = ${siteId} and entry_id = any(${[...ids]}::int[])`
      : sql`select a.user_id as id, a.first_name || ' ' || a.last_name as name from membership m join account a using (user_id)
          where m.site_id = ${siteId} and m.user_id = any(${[...ids]}::int[])`
  }`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
