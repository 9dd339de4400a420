import { sql } from 'kysely';
import { forEachBatch } from '../db/batches.ts';
import type { Db, Tx } from '../db/database.ts';
import { createEnvelope, splitEvent, type ChangeEvent, type EventAuthor } from './change-event.ts';

const EVENT_BATCH_ROWS = 2000;

/**
 * Appends events to their topics. Offsets have no gaps: the counter is updated in the transaction of the change, so a rollback
 * returns the offsets. The counter row is locked until the commit, so this must be the last step of a transaction.
 */
export async function publishEvents(
  tx: Tx,
  author: EventAuthor,
  events: readonly ChangeEvent[],
): Promise<void> {
  // All transactions use the same order of topics, so that they cannot deadlock.
  for (const name of [...new Set(events.map((event) => event.topic))].toSorted()) {
    const topicEvents = events.filter((event) => event.topic === name).flatMap(splitEvent);
    const { rows } = await sql<{ topic_id: number; first: number; schema_version: number }>`
      with counted as (
        insert into topic (site_id, name, next) values (${author.siteId}, ${name}, ${topicEvents.length})
        on conflict (site_id, name) do update set next = topic.next + ${topicEvents.length}
        returning topic_id, next - ${topicEvents.length} as first)
      select counted.topic_id, counted.first, site.schema_version from counted, site where site.site_id = ${author.siteId}`.execute(
      tx,
    );
    const [topic] = rows;
    if (!topic) throw new Error(`Site ${author.siteId} does not exist`);
    const modifiedAt = new Date().toISOString();
    const { topic_id: topicId, first, schema_version: schemaVersion } = topic;
    await forEachBatch(topicEvents, EVENT_BATCH_ROWS, (batch, offset) => {
      const rowsToInsert = batch.map((part, index) => ({
        off: first + offset + index,
        payload: createEnvelope(author, part, { modifiedAt, schemaVersion }),
      }));
      return sql`insert into topic_event (site_id, topic_id, off, payload)
        select ${author.siteId}, ${topicId}, off, payload
        from jsonb_to_recordset(${JSON.stringify(rowsToInsert)}::jsonb) as x(off bigint, payload jsonb)`.execute(
        tx,
      );
    });
  }
}

/** A topic of a site. */
export interface TopicKey {
  siteId: number;
  topicId: number;
}

/** Topics whose oldest event is older than `before`; one index lookup for each topic. */
export async function listTopicsWithEventsBefore(db: Db, before: Date): Promise<TopicKey[]> {
  const { rows } = await sql<TopicKey>`
    select t.site_id as "siteId", t.topic_id as "topicId" from topic t
    cross join lateral (select e.at from topic_event e
      where e.site_id = t.site_id and e.topic_id = t.topic_id order by e.off limit 1) oldest
    where oldest.at < ${before}::timestamptz order by t.site_id, t.topic_id`.execute(db);
  return rows;
}

/**
 * Deletes the events of a topic older than `before` among its `limit` oldest ones and returns their number. Only a prefix
 * of the offsets is deleted: a long transaction can give a higher offset an earlier timestamp, and the remaining offsets
 * must have no gaps. `topic.next` is unchanged, so offsets are never reused.
 */
export async function deleteEventsBefore(
  db: Db,
  { siteId, topicId }: TopicKey,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with oldest as materialized (
      select off, at from topic_event where site_id = ${siteId} and topic_id = ${topicId} order by off limit ${limit}),
    kept as (select min(off) as off from oldest where at >= ${before}::timestamptz)
    delete from topic_event e using oldest, kept
    where e.site_id = ${siteId} and e.topic_id = ${topicId} and e.off = oldest.off
      and (kept.off is null or oldest.off < kept.off)`.execute(db);
  return Number(numAffectedRows);
}
