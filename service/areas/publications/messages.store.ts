import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import { createProjection, type StoredDataEvent, type TopicContent } from './project-event.ts';

/** A message of a topic; `body` is its JSON text without topic and offset. */
export interface StoredMessage {
  topicId: number;
  off: number;
  /** Microseconds since 1970. */
  at: number;
  body: string;
}

/** Bytes of the messages of one topic in a response; a single message may be longer. */
const MAX_TOPIC_BYTES = 4_000_000;
/** Bytes of the events, compressed as they are stored, that are parsed at once. */
const MAX_SOURCE_BYTES = 1_000_000;
/** Characters of derived messages after which other requests are served. */
const MAX_CHARACTERS_OF_TURN = 250_000;

/** A row of a topic: the text of a message, or a batch of a custom topic with the definition by which it is derived from default-data. */
interface StoredRow extends Omit<StoredMessage, 'body'> {
  body: string | null;
  /** Offsets in default-data; `off` is the offset of the last message. */
  sources: readonly number[] | null;
  version: number | null;
}

/** The next messages of a topic. */
export interface MessageRange {
  topicId: number;
  /** Offset of the first one. */
  from: number;
  limit: number;
}

/** Messages of a topic in order, without topics that are deleted in the meantime. */
export async function readMessages(db: Db, siteId: number, range: MessageRange): Promise<StoredMessage[]> {
  const { topicId, from, limit } = range;
  const { rows } = await sql<StoredRow>`
    select ${topicId}::int as "topicId", off, at, body, sources, version from (
      select e.off, e.at, e.body, e.sources, e.version,
        sum(octet_length(e.body)) over by_offset - octet_length(e.body) as before,
        lag(e.off) over by_offset - first_value(e.off) over by_offset as messages_before
      from (
        select e.off, (extract(epoch from e.at) * 1000000)::bigint as at, e.payload::text as body, e.sources,
          e.definition_version as version
        from topic_event e
        where e.site_id = ${siteId} and e.topic_id = ${topicId} and e.off >= ${from} order by e.off limit ${limit}) e
      window by_offset as (order by e.off)) as sized
    where coalesce(before, 0) < ${MAX_TOPIC_BYTES} and coalesce(messages_before, 0) < ${limit} order by off`.execute(
    db,
  );
  return rows.every(hasText) ? rows : deriveMessages(db, siteId, range, rows);
}

const hasText = (row: StoredRow): row is StoredRow & { body: string } => row.body !== null;

/** A message of a row: its text, or the offset of its event in default-data. */
interface Position extends Omit<StoredRow, 'sources'> {
  source: number | null;
}

const listPositions = ({ sources, off: last, ...row }: StoredRow): Position[] =>
  sources?.map((source, index) => ({ ...row, source, off: last - sources.length + 1 + index })) ?? [
    { ...row, off: last, source: null },
  ];

/** Messages of a custom topic, of rows that have batches among them. */
async function deriveMessages(
  db: Db,
  siteId: number,
  { topicId, from, limit }: MessageRange,
  rows: readonly StoredRow[],
): Promise<StoredMessage[]> {
  const positions = rows
    .flatMap(listPositions)
    .filter(({ off }) => off >= from)
    .slice(0, limit);
  const [events, definitions] = await Promise.all([
    readSource(db, siteId, { offsets: positions.flatMap(({ source }) => source ?? []) }, limit),
    listDefinitions(db, siteId, topicId, [...new Set(positions.flatMap(({ version }) => version ?? []))]),
  ]);
  const eventsByOffset = new Map(events.map(({ off, event }) => [off, event]));
  const projections = new Map(
    definitions.map(({ version, ...content }) => [version, createProjection(content)]),
  );
  const messages: StoredMessage[] = [];
  let characters = 0;
  for (const { source, version, off, at, ...row } of positions) {
    const event = eventsByOffset.get(source ?? -1);
    const body = event ? JSON.stringify(projections.get(version ?? 0)?.(event)) : row.body;
    // The events are too large together: the next read has this one and those after it.
    if (!body) continue;
    messages.push({ topicId, off, at, body });
    characters += body.length;
    if (characters < MAX_CHARACTERS_OF_TURN) continue;
    characters = 0;
    await nextTurn();
  }
  return messages;
}

/** Definitions of a custom topic by their versions: the one of now and earlier ones. */
async function listDefinitions(
  db: Db,
  siteId: number,
  topicId: number,
  versions: readonly number[],
): Promise<(TopicContent & { version: number })[]> {
  const { rows } = await sql<TopicContent & { version: number }>`
    select version, format, entry_types as "entryTypes" from topic_definition
    where site_id = ${siteId} and topic_id = ${topicId} and version = any(${[...versions]}::int[])
    union all select version, format, entry_types from topic_definition_history
    where site_id = ${siteId} and topic_id = ${topicId} and version = any(${[...versions]}::int[])`.execute(
    db,
  );
  return rows;
}

/** Events of default-data with their offsets. */
export interface SourceEvent {
  off: number;
  at: Date;
  event: StoredDataEvent;
}

/** Some events of default-data, or those from an offset on, oldest first, together at most about 4 million characters. */
export async function readSource(
  db: Db,
  siteId: number,
  range: { from: number; since?: Date } | { offsets: readonly number[] },
  limit: number,
): Promise<SourceEvent[]> {
  const condition =
    'offsets' in range
      ? sql`e.off = any(${[...range.offsets]}::bigint[])`
      : sql`e.off >= ${range.from} and e.at >= ${range.since ?? new Date(0)}::timestamptz`;
  const { rows } = await sql<
    Omit<SourceEvent, 'event'> & { payload: StoredDataEvent; entryNames: object | null }
  >`
    select off, at, payload, "entryNames" from (
      select e.off, e.at, e.payload, e.entry_names as "entryNames", sum(pg_column_size(e.payload)) over (order by e.off) - pg_column_size(e.payload) as before
      from topic t join lateral (select e.off, e.at, e.payload, e.entry_names from topic_event e
        where e.site_id = t.site_id and e.topic_id = t.topic_id and ${condition} order by e.off limit ${limit}) e on true
      where t.site_id = ${siteId} and t.name = 'default-data') as sized
    where before < ${MAX_SOURCE_BYTES} order by off`.execute(db);
  return rows.map(({ off, at, payload, entryNames }) => ({
    off,
    at,
    event: { ...payload, ...(entryNames && { entryNames: entryNames as Record<string, string> }) },
  }));
}
