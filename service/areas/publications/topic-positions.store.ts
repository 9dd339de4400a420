import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import { FIRST_OFFSET } from '../../kernel/outbox/events.store.ts';

/** The first offset at or after a time, of one topic; the offset of the next event if there is none. */
interface TopicPosition {
  topicId: number;
  /** Index into the requested times. */
  index: number;
  off: number;
}

/**
 * Finds the offset of the first event at or after each time in each topic, by binary search in the primary key: events have no index
 * on their time, which rises with the offset except among transactions that overlap. The messages of a batch have one time.
 * @param topicId all topics of the site without it
 */
export async function findPositions(
  db: Db,
  siteId: number,
  times: readonly Date[],
  topicId?: number,
): Promise<TopicPosition[]> {
  const { rows } = await sql<TopicPosition>`
    with recursive search as (
      select t.topic_id, k.at, k.number, coalesce(oldest.off, t.next) as low, t.next as high
      from topic t cross join unnest(${times.map((time) => time.toISOString())}::timestamptz[]) with ordinality as k(at, number)
      left join lateral (select ${FIRST_OFFSET} as off from topic_event e
        where e.site_id = t.site_id and e.topic_id = t.topic_id order by e.off limit 1) oldest on true
      where t.site_id = ${siteId} and t.topic_id = coalesce(${topicId ?? null}::int, t.topic_id)
      union all
      select s.topic_id, s.at, s.number,
        case when coalesce(e.at < s.at, true) then coalesce(e.last, middle.off) + 1 else s.low end,
        case when coalesce(e.at < s.at, true) then s.high else least(e.first, middle.off) end
      from search s cross join lateral (select (s.low + s.high) / 2 as off) middle
      left join lateral (select e.at, ${FIRST_OFFSET} as first, e.off as last from topic_event e
        where e.site_id = ${siteId} and e.topic_id = s.topic_id and e.off >= middle.off order by e.off limit 1) e on true
      where s.low < s.high)
    select topic_id as "topicId", (number - 1)::int as index, low as off from search where low = high
    order by topic_id, number`.execute(db);
  return rows;
}
