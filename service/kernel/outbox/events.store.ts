import { type RawBuilder, sql } from 'kysely';
import { type Db, executeLater, type Tx } from '../db/database.ts';
import { defineStatement } from '../db/driver/dialect.ts';
import {
  createEnvelope,
  hasSchemaVersion,
  listEntryNames,
  splitEvent,
  type ChangeEvent,
  type EventAuthor,
} from './change-event.ts';

/** Time of the insert in the notation of JavaScript; with the counter locked, so that times and offsets have one order. */
const MODIFIED_AT = sql`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Appends events to their topics with the COMMIT of the transaction. Offsets have no gaps: the counter is updated in the transaction
 * of the change, so a rollback returns the offsets. The counter row is locked from this statement, which inserts the events as well,
 * until the commit that is sent with it: no round trip lies between (docs/decisions/0042). Call it last in a transaction.
 */
export function publishEvents(tx: Tx, author: EventAuthor, events: readonly ChangeEvent[]): void {
  // All transactions use the same order of topics, so that they cannot deadlock.
  for (const name of [...new Set(events.map((event) => event.topic))].toSorted()) {
    const messages = events
      .filter((event) => event.topic === name)
      .flatMap(splitEvent)
      .map((part) => ({
        envelope: createEnvelope(author, part),
        names: listEntryNames(part),
        versioned: hasSchemaVersion(part.event),
      }));
    if (messages.length === 0) continue;
    // The envelope is stored as the text that it came as: its first properties are put before the others.
    executeLater(insertEvents(author.siteId, name, messages.length, JSON.stringify(messages)), tx);
  }
}

const insertEvents = defineStatement(
  (
    siteId: RawBuilder<number>,
    topic: RawBuilder<string>,
    count: RawBuilder<number>,
    messages: RawBuilder<string>,
  ) => sql`with counted as (
          insert into topic (site_id, name, next) values (${siteId}, ${topic}, ${count})
          on conflict (site_id, name) do update set next = topic.next + ${count}
          returning topic_id, next - ${count} as first)
        insert into topic_event (site_id, topic_id, off, payload, entry_names)
        select site.site_id, counted.topic_id, counted.first + event.number - 1,
          ('{"modifiedAt":"' || ${MODIFIED_AT} || '",' || case when event.versioned
            then '"schemaVersion":' || site.schema_version || ',' else '' end || substr(event.envelope::text, 2))::json,
          event.names
        from counted cross join rows from (json_to_recordset(${messages}::json)
          as (envelope json, names json, versioned boolean)) with ordinality as event(envelope, names, versioned, number)
        join site on site.site_id = ${siteId}`,
);

/** Offset of the first message of a row `e` of topic_event: of a batch, or of the message itself (docs/decisions/0102). */
export const FIRST_OFFSET = sql<number>`(e.off - coalesce(cardinality(e.sources), 1) + 1)`;

/** A topic of a site. */
export interface TopicKey {
  siteId: number;
  topicId: number;
}

/** The moment some milliseconds ago by the clock of the database, which sets the times of events. */
export async function getMomentBefore(db: Db, ms: number): Promise<Date> {
  const { rows } = await sql<{
    at: Date;
  }>`select now() - make_interval(secs => ${ms / 1000}::float8) as at`.execute(db);
  return rows[0]?.at ?? new Date(0);
}

/**
 * Topics whose oldest event is older than `before`; one index lookup for each topic. Default topics, which are created first, are the
 * last of their site: the batches of custom topics need their events.
 */
export async function listTopicsWithEventsBefore(db: Db, before: Date): Promise<TopicKey[]> {
  const { rows } = await sql<TopicKey>`
    select t.site_id as "siteId", t.topic_id as "topicId" from topic t
    cross join lateral (select e.at from topic_event e
      where e.site_id = t.site_id and e.topic_id = t.topic_id order by e.off limit 1) oldest
    where oldest.at < ${before}::timestamptz order by t.site_id, t.topic_id desc`.execute(db);
  return rows;
}

/**
 * Deletes the events of a topic older than `before` among its `limit` oldest ones and returns their number. Only a prefix
 * of the offsets is deleted: a long transaction can give a higher offset an earlier timestamp, and the remaining offsets
 * must have no gaps. `topic.next` is unchanged, so offsets are never reused. Events of default-data that a kept batch of a custom
 * topic names are kept with it.
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
    kept as (
      select least((select min(off) from oldest where at >= ${before}::timestamptz), (
        select min(first.source) from topic t join topic c on c.site_id = t.site_id and left(c.name, 8) <> 'default-'
        cross join lateral (select e.sources[1] as source from topic_event e
          where e.site_id = c.site_id and e.topic_id = c.topic_id and e.sources is not null order by e.off limit 1) first
        where t.site_id = ${siteId} and t.topic_id = ${topicId} and t.name = 'default-data')) as off)
    delete from topic_event e using oldest, kept
    where e.site_id = ${siteId} and e.topic_id = ${topicId} and e.off = oldest.off and e.at = oldest.at
      and (kept.off is null or oldest.off < kept.off)`.execute(db);
  return Number(numAffectedRows);
}
