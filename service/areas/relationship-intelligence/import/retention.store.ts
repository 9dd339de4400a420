import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';

const ROWS_PER_STEP = 5_000;

/** Sites with items that are older than their retention. */
export async function listSitesWithOldItems(db: Db): Promise<number[]> {
  const { rows } = await sql<{ siteId: number }>`
    select s.site_id as "siteId" from ri_setting s where s.retention_days is not null and exists (select from ri_item i
      where i.site_id = s.site_id and i.at < now() - make_interval(days => s.retention_days))
    order by s.site_id`.execute(db);
  return rows.map(({ siteId }) => siteId);
}

/**
 * Deletes items of a site that are older than its retention, and takes back what they added to relationships.
 * @returns whether there may be more
 */
export async function deleteOldItems(tx: Tx, siteId: number): Promise<boolean> {
  const { rows } = await sql<{ userIds: number[] | null; items: number }>`
    with old as materialized (select i.site_id, i.kind, i.item_key from ri_setting s join ri_item i on i.site_id = s.site_id
      where s.site_id = ${siteId} and i.at < now() - make_interval(days => s.retention_days)
      limit ${ROWS_PER_STEP}),
    item as (delete from ri_item i using old where i.site_id = old.site_id and i.kind = old.kind and i.item_key = old.item_key),
    link as (delete from ri_item_user l using old where l.site_id = old.site_id and l.kind = old.kind and l.item_key = old.item_key
      returning l.site_id, l.user_id, l.direction, l.counterparts),
    lost as (select site_id, user_id, address, count(*) filter (where direction = 1) as sent,
        count(*) filter (where direction = 2) as received, count(*) filter (where direction = 3) as meetings
      from link, unnest(counterparts) as address group by site_id, user_id, address),
    relation as (update ri_relation r set sent = r.sent - lost.sent, received = r.received - lost.received,
        meetings = r.meetings - lost.meetings, first_at = least(r.last_at, greatest(r.first_at,
          (select now() - make_interval(days => s.retention_days) from ri_setting s where s.site_id = r.site_id)))
      from lost where r.site_id = lost.site_id and r.user_id = lost.user_id and r.address = lost.address)
    select (select count(*)::int from old) as items, (select array_agg(distinct user_id) from lost) as "userIds"`.execute(
    tx,
  );
  const [deleted] = rows;
  await sql`delete from ri_relation where site_id = ${siteId} and user_id = any(${deleted?.userIds ?? []}::int[])
    and sent <= 0 and received <= 0 and meetings <= 0`.execute(tx);
  return deleted?.items === ROWS_PER_STEP;
}
