import { sql } from 'kysely';
import { type Db, executeLater, type Tx } from '../../kernel/db/database.ts';
import { dbErrorCodes, getDbError } from '../../kernel/db/driver/errors.ts';
import type { StoredTopicType } from '../../kernel/db/tables/publications.ts';
import { FIRST_OFFSET } from '../../kernel/outbox/events.store.ts';
import type { TopicContent } from './project-event.ts';

/** Default topics in the order of the directory (spec 6.1). */
const DEFAULT_TOPICS = ['default-data', 'default-users', 'default-schema'] as const;

/** A topic with the range of its kept events. */
export interface StoredTopic {
  topicId: number;
  name: string;
  /** Offset of the next event. */
  next: number;
  /** Offset of the oldest kept event; `next` if there is none. */
  oldest: number;
  oldestAt: Date | null;
  /** What a custom topic streams; null for a default topic. */
  definition: (TopicContent & { version: number; sourceNext: number }) | null;
  /** Whether the subscriber may read some topics only. */
  isLimited: boolean;
  /** Types and fields that the subscriber may read; null for everything. */
  visible: readonly StoredTopicType[] | null;
}

interface TopicRow {
  topicId: number;
  name: string;
  next: number;
  oldest: number;
  oldestAt: Date | null;
  format: TopicContent['format'] | null;
  entryTypes: readonly StoredTopicType[] | null;
  version: number | null;
  sourceNext: number | null;
  isLimited: boolean;
  visible: readonly StoredTopicType[] | null;
}

const toTopic = ({ format, entryTypes, version, sourceNext, ...topic }: TopicRow): StoredTopic => ({
  ...topic,
  definition:
    format === null
      ? null
      : { format, entryTypes: entryTypes ?? [], version: version ?? 1, sourceNext: sourceNext ?? 0 },
});

/**
 * Topics of the site: the default ones, which a site has from the start, then the custom ones by name. With `clientId` only those that
 * this API key may read.
 */
export async function listTopics(db: Db, siteId: number, clientId?: number): Promise<StoredTopic[]> {
  const read = async (): Promise<StoredTopic[]> => {
    const { rows } = await sql<TopicRow>`
      select t.topic_id as "topicId", t.name, t.next, coalesce(oldest.off, t.next) as oldest, oldest.at as "oldestAt",
        d.format, d.entry_types as "entryTypes", d.version, d.source_next as "sourceNext",
        s.client_id is not null as "isLimited", may."entryTypes" as visible
      from topic t
      left join topic_definition d on d.site_id = t.site_id and d.topic_id = t.topic_id
      left join lateral (select ${FIRST_OFFSET} as off, e.at from topic_event e
        where e.site_id = t.site_id and e.topic_id = t.topic_id order by e.off limit 1) oldest on true
      left join publication_subscriber s on s.site_id = t.site_id and s.client_id = ${clientId ?? null}::int
      left join lateral jsonb_to_recordset(s.topics) as may("topicId" int, "entryTypes" jsonb) on may."topicId" = t.topic_id
      where t.site_id = ${siteId} and (s.client_id is null or may."topicId" is not null)
      order by array_position(${[...DEFAULT_TOPICS]}::text[], t.name), t.name`.execute(db);
    return rows.map(toTopic);
  };
  const topics = await read();
  const hasDefaults = DEFAULT_TOPICS.every((name) => topics.some((topic) => topic.name === name));
  if (hasDefaults || topics.some(({ isLimited }) => isLimited)) return topics;
  await sql`insert into topic (site_id, name) select ${siteId}, name from unnest(${[...DEFAULT_TOPICS]}::text[]) name
    order by name on conflict do nothing`.execute(db);
  return read();
}

/** A consumer: an API key and a topic. */
interface ConsumerKey {
  siteId: number;
  clientId: number;
}

/** A topic of a poll. */
export interface PolledTopic {
  topicId: number;
  name: string;
  /** Offset at which the consumer continues. */
  next: number;
  /** Offset of the next event. */
  end: number;
  visible: readonly StoredTopicType[] | null;
}

/**
 * Registers a poll of the key as the newest one of these topics and returns them; undefined, without registering it, when the key may
 * not read one of them or it does not exist. A new consumer starts at the oldest kept event; one whose next event has been deleted
 * continues at the oldest, and the deleted events are counted as lost.
 */
export async function startPoll(
  db: Db,
  { siteId, clientId }: ConsumerKey,
  pollId: string,
  names: readonly string[],
): Promise<PolledTopic[] | undefined> {
  const { rows } = await sql<PolledTopic>`
    with asked as materialized (
      select t.topic_id, t.name, t.next as "end", coalesce(oldest.off, t.next) as oldest, may."entryTypes" as visible
      from topic t
      left join lateral (select ${FIRST_OFFSET} as off from topic_event e
        where e.site_id = t.site_id and e.topic_id = t.topic_id order by e.off limit 1) oldest on true
      left join publication_subscriber s on s.site_id = t.site_id and s.client_id = ${clientId}
      left join lateral jsonb_to_recordset(s.topics) as may("topicId" int, "entryTypes" jsonb) on may."topicId" = t.topic_id
      where t.site_id = ${siteId} and t.name = any(${[...names]}::text[])
        and (s.client_id is null or may."topicId" is not null)),
    registered as (
      insert into publication_consumer as c (site_id, topic_id, client_id, next, poll_id, polled_at)
      select ${siteId}, topic_id, ${clientId}, oldest, ${pollId}::uuid, now() from asked
      where (select count(*) from asked) = ${names.length} order by topic_id
      on conflict (site_id, topic_id, client_id) do update set poll_id = excluded.poll_id, polled_at = excluded.polled_at,
        next = greatest(c.next, excluded.next),
        lost_events = c.lost_events + greatest(excluded.next - c.next, 0),
        lost_at = case when excluded.next > c.next then now() else c.lost_at end
      returning topic_id, next)
    select a.topic_id as "topicId", a.name, r.next, a."end", a.visible from asked a join registered r using (topic_id)`.execute(
    db,
  );
  return rows.length === names.length ? rows : undefined;
}

/** Changes by some events of a default topic. */
export interface EventSummary {
  entryTypeIds: number[];
  deletedUserIds: number[];
}

/** More events than these are not summarized, and neither are larger ones (stored, compressed). */
const MAX_SUMMARIZED_EVENTS = 100;
const MAX_SUMMARIZED_BYTES = 20_000;

/** Changes by the events from an offset on; undefined when these are too many or too large to read. */
export async function summarizeEvents(
  db: Db,
  siteId: number,
  topicId: number,
  from: number,
): Promise<EventSummary | undefined> {
  const { rows } = await sql<{ count: number; largest: number } & EventSummary>`
    with new_event as materialized (
      select e.payload, pg_column_size(e.payload) as size from topic_event e
      where e.site_id = ${siteId} and e.topic_id = ${topicId} and e.off >= ${from}
      order by e.off limit ${MAX_SUMMARIZED_EVENTS + 1}),
    entity as (
      select payload ->> 'entityType' as type, payload #> '{payload,entities}' as entities from new_event
      where (select count(*) from new_event) <= ${MAX_SUMMARIZED_EVENTS} and size <= ${MAX_SUMMARIZED_BYTES})
    select (select count(*)::int from new_event) as count, (select coalesce(max(size), 0) from new_event) as largest,
      array(select distinct coalesce(entities #>> '{updated,0,entryListId}', entities #>> '{created,0,entryListId}',
        entities #>> '{deleted,0,entryListId}')::int from entity where type = 'Data' order by 1) as "entryTypeIds",
      array(select (entities #>> '{deleted,0,id}')::int from entity
        where type = 'Users' and entities #>> '{deleted,0,id}' is not null order by 1) as "deletedUserIds"`.execute(
    db,
  );
  const [row] = rows;
  if (!row || row.count > MAX_SUMMARIZED_EVENTS || row.largest > MAX_SUMMARIZED_BYTES) return undefined;
  return { entryTypeIds: row.entryTypeIds, deletedUserIds: row.deletedUserIds };
}

/** Offsets of the next events by topic id; deleted topics are missing. */
export async function readTopicEnds(
  db: Db,
  topicIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ topicId: number; next: number }>`
    select topic_id as "topicId", next from topic where topic_id = any(${[...topicIds]}::int[])`.execute(db);
  return new Map(rows.map(({ topicId, next }) => [topicId, next]));
}

/** A poll that waits in some topics. */
interface WaitingPollRow {
  siteId: number;
  topics: readonly { topicId: number }[];
  poll: { clientId: number; pollId: string } | undefined;
}

/** Indexes of the polls that a newer one of the same consumer has replaced in one of their topics. */
export async function findReplacedPolls(db: Db, polls: readonly WaitingPollRow[]): Promise<number[]> {
  const waiting = polls.flatMap(({ siteId, topics, poll }, index) =>
    poll ? topics.map(({ topicId }) => ({ index, siteId, topicId, ...poll })) : [],
  );
  const { rows } = await sql<{ index: number }>`
    select w.index from unnest(${waiting.map(({ index }) => index)}::int[], ${waiting.map(({ siteId }) => siteId)}::int[],
      ${waiting.map(({ topicId }) => topicId)}::int[], ${waiting.map(({ clientId }) => clientId)}::int[],
      ${waiting.map(({ pollId }) => pollId)}::uuid[]) as w(index, site_id, topic_id, client_id, poll_id)
    join publication_consumer c on c.site_id = w.site_id and c.topic_id = w.topic_id and c.client_id = w.client_id
    where c.poll_id <> w.poll_id`.execute(db);
  return rows.map(({ index }) => index);
}

/** Sets the offset of a consumer. */
export async function moveConsumer(
  tx: Tx,
  { siteId, clientId }: ConsumerKey,
  topicId: number,
  offset: number,
): Promise<void> {
  await sql`update publication_consumer set next = ${offset}, acknowledged_at = now()
    where site_id = ${siteId} and topic_id = ${topicId} and client_id = ${clientId}`.execute(tx);
}

/** A topic whose events a consumer acknowledges. */
export interface AcknowledgedTopic {
  /** Position in the list of the request, from 0. */
  index: number;
  name: string;
  oldest: number;
  next: number;
  isValid: boolean;
}

/**
 * Sets the offsets of a consumer by topic name, all or none: if one of them is not among the kept events, or a topic does not exist for
 * the key, nothing is stored. Returns the topics that exist. The last offset of a name counts.
 */
export async function acknowledgeTopics(
  db: Db,
  { siteId, clientId }: ConsumerKey,
  offsets: readonly { name: string; offset: number }[],
): Promise<AcknowledgedTopic[]> {
  const { rows } = await sql<AcknowledgedTopic>`
    with known as materialized (
      select k.at, k.off, t.topic_id, t.name, t.next, coalesce(oldest.off, t.next) as oldest
      from unnest(${offsets.map(({ name }) => name)}::text[], ${offsets.map(({ offset }) => offset)}::bigint[])
        with ordinality as k(name, off, at)
      join topic t on t.site_id = ${siteId} and t.name = k.name
      left join lateral (select ${FIRST_OFFSET} as off from topic_event e
        where e.site_id = t.site_id and e.topic_id = t.topic_id order by e.off limit 1) oldest on true
      left join publication_subscriber s on s.site_id = t.site_id and s.client_id = ${clientId}
      where s.client_id is null
        or jsonb_path_exists(s.topics, '$[*] ? (@.topicId == $id)', jsonb_build_object('id', t.topic_id))),
    stored as (
      insert into publication_consumer (site_id, topic_id, client_id, next, acknowledged_at)
      select distinct on (topic_id) ${siteId}::int, topic_id, ${clientId}::int, off, now() from known
      where (select count(*) filter (where off >= oldest and off <= next) from known) = ${offsets.length}
      order by topic_id, at desc
      on conflict (site_id, topic_id, client_id) do update set next = excluded.next, acknowledged_at = excluded.acknowledged_at)
    select (at - 1)::int as index, name, oldest, next, off >= oldest and off <= next as "isValid" from known`.execute(
    db,
  );
  return rows;
}

/** A consumer with its position in the topic. */
export interface StoredConsumer {
  topicId: number;
  topicName: string;
  clientId: number;
  userId: number;
  userName: string;
  offset: number;
  next: number;
  isActive: boolean;
  polledDate: Date | null;
  acknowledgedDate: Date | null;
  unreadSince: Date | null;
  lostEvents: number;
  lostDate: Date | null;
}

/** Consumers of the site by topic name and client id, without those of keys that are turned off, which is final. `offset` is never before the oldest kept event. */
export async function listConsumers(db: Db, siteId: number): Promise<StoredConsumer[]> {
  const { rows } = await sql<StoredConsumer>`
    select c.topic_id as "topicId", t.name as "topicName", c.client_id as "clientId", k.user_id as "userId",
      a.first_name || ' ' || a.last_name as "userName", greatest(c.next, coalesce(oldest.off, t.next)) as offset, t.next,
      coalesce(c.polled_at > now() - interval '5 minutes', false) as "isActive",
      c.polled_at as "polledDate", c.acknowledged_at as "acknowledgedDate", unread.at as "unreadSince",
      c.lost_events + greatest(coalesce(oldest.off, t.next) - c.next, 0) as "lostEvents", c.lost_at as "lostDate"
    from publication_consumer c
    join topic t on t.site_id = c.site_id and t.topic_id = c.topic_id
    join api_key k on k.client_id = c.client_id and k.disabled_at is null
    join account a on a.user_id = k.user_id
    left join lateral (select ${FIRST_OFFSET} as off from topic_event e
      where e.site_id = c.site_id and e.topic_id = c.topic_id order by e.off limit 1) oldest on true
    left join lateral (select e.at from topic_event e
      where e.site_id = c.site_id and e.topic_id = c.topic_id and e.off >= c.next order by e.off limit 1) unread on true
    where c.site_id = ${siteId} order by t.name, c.client_id`.execute(db);
  return rows;
}

/** Whether the site has this consumer; locks it until the transaction ends and returns its offset. */
export async function lockConsumer(
  tx: Tx,
  { siteId, clientId }: ConsumerKey,
  topicId: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ next: number }>`
    select next from publication_consumer
    where site_id = ${siteId} and topic_id = ${topicId} and client_id = ${clientId} for update`.execute(tx);
  return rows[0]?.next;
}

/** Creates a custom topic that begins with the next event of default-data. Returns its id, or undefined if the name is taken. */
export async function insertTopic(
  tx: Tx,
  siteId: number,
  { name, format, entryTypes }: TopicContent & { name: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ topicId: number }>`
    insert into topic (site_id, name) values (${siteId}, ${name}) on conflict do nothing
    returning topic_id as "topicId"`.execute(tx);
  const [topic] = rows;
  if (!topic) return undefined;
  await sql`
    insert into topic_definition (site_id, topic_id, format, entry_types, source_next)
    select ${siteId}, ${topic.topicId}, ${format}, ${JSON.stringify(entryTypes)}::jsonb, t.next
    from topic t where t.site_id = ${siteId} and t.name = 'default-data'`.execute(tx);
  return topic.topicId;
}

/**
 * Changes a custom topic, whose definition the caller has locked. Earlier definitions are kept as long as batches name them. Returns false
 * if another topic has the name.
 */
export async function updateTopic(
  tx: Tx,
  siteId: number,
  topicId: number,
  { name, format, entryTypes }: TopicContent & { name: string },
): Promise<boolean> {
  try {
    await sql`update topic set name = ${name} where site_id = ${siteId} and topic_id = ${topicId}`.execute(
      tx,
    );
  } catch (error) {
    if (getDbError(error)?.code === dbErrorCodes.uniqueViolation) return false;
    throw error;
  }
  await sql`
    insert into topic_definition_history (site_id, topic_id, version, format, entry_types)
    select site_id, topic_id, version, format, entry_types from topic_definition
    where site_id = ${siteId} and topic_id = ${topicId}`.execute(tx);
  await sql`
    update topic_definition set format = ${format}, entry_types = ${JSON.stringify(entryTypes)}::jsonb,
      version = version + 1, modified_at = now()
    where site_id = ${siteId} and topic_id = ${topicId}`.execute(tx);
  // A message that was copied before there were batches precedes them.
  const { rows } = await sql<{ oldest: number }>`
    select coalesce(e.definition_version, 0) as oldest from topic_event e
    where e.site_id = ${siteId} and e.topic_id = ${topicId} order by e.off limit 1`.execute(tx);
  await sql`
    delete from topic_definition_history where site_id = ${siteId} and topic_id = ${topicId}
      and version < coalesce(${rows[0]?.oldest ?? null}::int, version + 1)`.execute(tx);
  return true;
}

/** Locks the definition of a custom topic until the transaction ends, so that it is neither changed nor filled. */
export async function lockDefinition(tx: Tx, siteId: number, topicId: number): Promise<void> {
  await sql`select version from topic_definition where site_id = ${siteId} and topic_id = ${topicId} for update`.execute(
    tx,
  );
}

/** Deletes a custom topic with its events and consumers. */
export async function deleteTopic(tx: Tx, siteId: number, topicId: number): Promise<void> {
  await sql`delete from topic where site_id = ${siteId} and topic_id = ${topicId}`.execute(tx);
  // Appending locks the row of the topic, so that no event follows.
  await sql`delete from topic_event where site_id = ${siteId} and topic_id = ${topicId}`.execute(tx);
}

/** Custom topics that have not read all events of default-data. */
export async function listTopicsToFill(db: Db): Promise<{ siteId: number; topicId: number; name: string }[]> {
  const { rows } = await sql<{ siteId: number; topicId: number; name: string }>`
    select d.site_id as "siteId", d.topic_id as "topicId", t.name from topic_definition d
    join topic t on t.site_id = d.site_id and t.topic_id = d.topic_id
    join topic source on source.site_id = d.site_id and source.name = 'default-data'
    where d.source_next < source.next order by d.site_id, d.topic_id`.execute(db);
  return rows;
}

/** A custom topic whose lease is held. */
interface LeasedTopic extends TopicContent {
  topicId: number;
  name: string;
  version: number;
  /** Offset of default-data from which on it has not been filled. */
  sourceNext: number;
}

/** Takes the leases of custom topics for the transaction, without those that another process holds and those that are deleted. */
export async function leaseTopics(
  tx: Tx,
  siteId: number,
  topicIds: readonly number[],
): Promise<LeasedTopic[]> {
  const { rows } = await sql<LeasedTopic>`
    select d.topic_id as "topicId", t.name, d.version, d.format, d.entry_types as "entryTypes", d.source_next as "sourceNext"
    from topic_definition d join topic t on t.site_id = d.site_id and t.topic_id = d.topic_id
    where d.site_id = ${siteId} and d.topic_id = any(${[...topicIds]}::int[])
    order by d.topic_id for update of d skip locked`.execute(tx);
  return rows;
}

/** Messages of a custom topic: the offsets of their events in default-data, ascending, and the version of the definition. */
export interface NewBatch {
  topicId: number;
  version: number;
  sources: readonly number[];
}

/**
 * Appends batches to custom topics, at most one to each, with the next statement of the transaction. The caller holds the leases, so
 * offsets have no gaps and no event is there twice.
 */
export function appendBatches(tx: Tx, siteId: number, batches: readonly NewBatch[]): void {
  executeLater(
    sql`
    with counted as (
      update topic t set next = t.next + cardinality(b.sources)
      from json_to_recordset(${JSON.stringify(batches)}::json) as b("topicId" int, version int, sources bigint[])
      where t.site_id = ${siteId} and t.topic_id = b."topicId"
      returning t.topic_id, t.next, b.version, b.sources)
    insert into topic_event (site_id, topic_id, off, sources, definition_version)
    select ${siteId}, topic_id, next - 1, sources, version from counted`,
    tx,
  );
}

/** Moves the positions of custom topics in default-data forward, whose leases the caller holds. */
export async function moveTopics(
  tx: Tx,
  siteId: number,
  topicIds: readonly number[],
  sourceNext: number,
): Promise<void> {
  await sql`
    update topic_definition set source_next = ${sourceNext}
    where site_id = ${siteId} and topic_id = any(${[...topicIds]}::int[]) and source_next < ${sourceNext}`.execute(
    tx,
  );
}

/** Offset of the next event of default-data. */
export async function getSourceNext(db: Db, siteId: number): Promise<number> {
  const { rows } = await sql<{ next: number }>`
    select next from topic where site_id = ${siteId} and name = 'default-data'`.execute(db);
  return rows[0]?.next ?? 0;
}

/** Short name of a site, the environment of the addresses that spec 6.7 deprecates. */
export async function getSiteSlug(db: Db, siteId: number): Promise<string> {
  const row = await db
    .selectFrom('site')
    .select('slug')
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  return row.slug;
}
