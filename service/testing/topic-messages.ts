import { sql } from 'kysely';
import type { Db } from '../kernel/db/database.ts';

/**
 * Table expression with a row for each message of each topic, those of batches too: their payload is that of the event of default-data
 * from which they are derived (docs/decisions/0102).
 */
export const TOPIC_MESSAGES = `(
  select e.site_id, t.name, t.next,
    case when s.off is null then e.off else e.off - cardinality(e.sources) + s.number end as off, coalesce(e.payload, d.payload) as payload
  from topic t join topic_event e on e.site_id = t.site_id and e.topic_id = t.topic_id
  left join lateral unnest(e.sources) with ordinality as s(off, number) on true
  left join topic source on source.site_id = t.site_id and source.name = 'default-data'
  left join topic_event d on d.site_id = t.site_id and d.topic_id = source.topic_id and d.off = s.off)`;

/** Makes the events of a site some days old: those of one topic, or of all, with offsets below `end`. */
export const ageEvents = (
  db: Db,
  siteId: number,
  days: number,
  { topic, end }: { topic?: string; end?: number | undefined } = {},
) =>
  sql`update topic_event e set at = now() - ${`${days} days`}::interval from topic t
    where t.site_id = e.site_id and t.topic_id = e.topic_id and e.site_id = ${siteId}
      and t.name = coalesce(${topic ?? null}::text, t.name) and e.off < coalesce(${end ?? null}::bigint, e.off + 1)`.execute(
    db,
  );
