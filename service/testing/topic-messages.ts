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
