import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { Vals } from '../../schema/index.ts';

/** Sites on which entries wait to be computed. */
export async function sitesInQueue(db: Db): Promise<number[]> {
  const { rows } = await sql<{
    site_id: number;
  }>`select distinct site_id from calc_queue order by site_id`.execute(db);
  return rows.map((row) => row.site_id);
}

/**
 * Takes entries out of the queue, locked. The entries are locked before their places in the queue are: a writer, who
 * has its entry locked and puts it into the queue, is passed by and never waited for.
 */
export async function takeQueued(
  tx: Tx,
  siteId: number,
  most: number,
): Promise<{ entryId: number; typeId: number; vals: Vals }[]> {
  const { rows } = await sql<{ entryId: number; typeId: number; vals: Vals }>`
    select entry_id as "entryId", type_id as "typeId", vals from entry
    where site_id = ${siteId} and entry_id in (
      select entry_id from calc_queue where site_id = ${siteId} order by queued_at, entry_id limit ${most})
    order by entry_id for no key update skip locked`.execute(tx);
  const taken = rows.map(({ entryId }) => entryId);
  // An entry may have been deleted while it was put into the queue: nobody would take it out.
  await sql`delete from calc_queue q where q.site_id = ${siteId} and (q.entry_id = any(${taken}::int[])
    or not exists (select from entry e where e.site_id = q.site_id and e.entry_id = q.entry_id))`.execute(tx);
  return rows;
}

/** Puts entries into the queue of those whose calculated fields are to be computed anew. */
export async function queueCalculations(tx: Tx, siteId: number, ids: readonly number[]): Promise<void> {
  await sql`insert into calc_queue (site_id, entry_id) select ${siteId}, id from unnest(${[...ids]}::int[]) as id
    order by id on conflict do nothing`.execute(tx);
}
