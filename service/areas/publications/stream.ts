import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TopicPosition, TopicPositions } from '../../../contract/generated/types.gen.ts';
import { badRequest, retryLater } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import {
  findValidCredentials,
  loadEffectiveCapabilities,
  type OpenCredential,
} from '../../kernel/auth/callers.store.ts';
import { createShownRecorder, type Db, getSharedDb } from '../../kernel/db/database.ts';
import { formatEvent, type OpenEvents } from '../../kernel/http/event-stream.ts';
import type { Call, OperationId } from '../../kernel/http/handler.ts';
import { getEventWatch, getPositionWatch, type News, type WatchedTopic } from './event-watch.ts';
import { readMessages, type StoredMessage } from './messages.store.ts';
import { formatMessage } from './messages.ts';
import * as store from './publications.store.ts';
import type { StoredTopic } from './publications.store.ts';
import { limitMessage, type VisibleFields } from './subscriber-limits.ts';
import { getLimits } from './subscribers.store.ts';

/** Open streams of this process (T23), of events and of positions. */
const MAX_STREAMS = {
  events: { user: 5, site: 200, process: 2_000 },
  positions: { user: 5, site: 1_000, process: 2_000 },
};
/** A comment is sent after this time without an event, so that proxies keep the connection. */
const HEARTBEAT_MS = 15_000;
/** A stream ends after this time; the browser opens it again with `Last-Event-ID`. */
const MAX_STREAM_MS = 900_000;
/** Time that the browser waits before it opens the stream again. */
const RECONNECT_MS = 1_000;
const BATCH_SIZE = 50;

interface StreamOwner {
  kind: keyof typeof MAX_STREAMS;
  db: Db;
  siteId: number;
  userId: number;
}
const openStreams = new Set<StreamOwner>();

/** Registers a stream. @throws ApiError 429 beyond the limits of the user, the site or the process */
function openStream(owner: StreamOwner): () => void {
  const limits = MAX_STREAMS[owner.kind];
  const ofKind = [...openStreams].filter(({ kind }) => kind === owner.kind);
  const own = ofKind.filter(({ db, siteId }) => db === owner.db && siteId === owner.siteId);
  const ofUser = own.filter(({ userId }) => userId === owner.userId);
  if (ofUser.length >= limits.user)
    throw retryLater(429, `You have ${limits.user} open streams, which is the limit`, 5);
  if (own.length >= limits.site || ofKind.length >= limits.process)
    throw retryLater(429, 'There are too many open streams', 5);
  openStreams.add(owner);
  return () => openStreams.delete(owner);
}

/**
 * Server-sent events of a topic after `Last-Event-ID`, or new ones only. Events are read when the client has taken the ones before: a
 * slow reader costs neither memory nor events. An event `gap` names the offsets that were deleted before they were read. The stream
 * ends, and sends nothing more, when the session or token, its address or the capability is lost.
 */
export async function streamTopic(call: Call<'streamTopic'>): Promise<{ status: 200; events: OpenEvents }> {
  const { caller, query, lastEventId } = call;
  const { db: ownDb } = call;
  const db = getSharedDb(ownDb);
  const { siteId, userId, clientId } = caller;
  const topic = (await store.listTopics(db, siteId, clientId)).find(({ name }) => name === query.topic);
  if (!topic) throw badRequest([{ path: 'topic', message: `Topic "${query.topic}" does not exist` }]);
  const { topicId, name, next: end } = topic;
  const reader = createReader(call, 'streamTopic');
  // A program reads what an event tells of; the console shows the event.
  const recordEvents = clientId === undefined ? async () => {} : createShownRecorder(ownDb);
  const from = parseLastEventId(lastEventId, topic);
  return {
    status: 200,
    events: (signal) => {
      const close = openStream({ kind: 'events', db, siteId, userId });
      signal.addEventListener('abort', close, { once: true });
      return readEvents(db, { topicId, name, end }, { from, reader, recordEvents }, signal);
    },
  };
}

/**
 * Server-sent events that tell how far the default topics have come, for pages that show data: they read it again with the operations of
 * their own. All streams of a process are fed by one statement a second, and what has changed is read once for those of a site. The
 * stream ends as that of a topic does.
 */
export async function streamTopicPositions(
  call: Call<'streamTopicPositions'>,
): Promise<{ status: 200; events: OpenEvents }> {
  const db = getSharedDb(call.db);
  const { siteId, userId } = call.caller;
  const topics = (await store.listTopics(db, siteId))
    .filter(({ definition }) => definition === null)
    .map(({ topicId, name, next }): WatchedTopic => ({ topicId, name, end: next }));
  const reader = createReader(call, 'streamTopicPositions');
  return {
    status: 200,
    events: (signal) => {
      const close = openStream({ kind: 'positions', db, siteId, userId });
      signal.addEventListener('abort', close, { once: true });
      return readPositions(db, topics, reader, signal);
    },
  };
}

const formatPositions = (topics: TopicPosition[]): string =>
  `data: ${JSON.stringify({ topics } satisfies TopicPositions)}\n\n`;

async function* readPositions(
  db: Db,
  topics: readonly WatchedTopic[],
  reader: Reader,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { siteId } = reader.caller;
  const endsAt = performance.now() + MAX_STREAM_MS;
  let known = topics;
  yield `retry: ${RECONNECT_MS}\n\n`;
  yield formatPositions(
    known.map(({ name, end }) => ({ name, nextOffset: end, entryTypeIds: null, deletedUserIds: null })),
  );
  while (performance.now() < endsAt && !signal.aborted) {
    const outcome = await getPositionWatch(db).wait(siteId, known, {
      timeoutMs: HEARTBEAT_MS,
      signals: [signal],
    });
    const news = outcome.kind === 'event' ? outcome.news : undefined;
    const moved = known.filter(({ topicId, end }) => (news?.getEnd(topicId) ?? 0) > end);
    const summaries = news
      ? await Promise.all(moved.map(({ topicId, end }) => news.summarize(topicId, end)))
      : [];
    // After the reading, so that nothing written after the end of the session is sent.
    if (!(await readLimits(db, 0, reader))) return;
    known = known.map((topic) => ({ ...topic, end: news?.getEnd(topic.topicId) ?? topic.end }));
    yield formatPositions(
      moved.map(({ topicId, name, end }, index) => ({
        name,
        nextOffset: news?.getEnd(topicId) ?? end,
        entryTypeIds: summaries[index]?.entryTypeIds ?? null,
        deletedUserIds: summaries[index]?.deletedUserIds ?? null,
      })),
    );
  }
}

/** Parts of a request that its open stream needs; the request itself is released. */
function createReader(call: Call, operationId: OperationId): Reader {
  const { caller, origin, operations } = call;
  const { siteId, userId, acting, clientId, tokenHash } = caller;
  return {
    caller: { siteId, userId, acting },
    clientId,
    credential: { tokenHash, ip: origin.ip, principalId: acting?.principalId ?? null },
    capabilities: operations.find(({ id }) => id === operationId)?.capabilities ?? [],
  };
}

/** Who reads a stream: what is checked before each event is sent. */
interface Reader {
  caller: Pick<Caller, 'siteId' | 'userId' | 'acting'>;
  clientId: number | undefined;
  credential: OpenCredential;
  /** One of them is required. */
  capabilities: readonly string[];
}

/** Checks of readers that are made in the same turn, such as those that an event wakes: each statement is executed once. */
interface ReaderChecks {
  credentials: OpenCredential[];
  /** Resolves when nobody joins any more. */
  closed: Promise<void>;
  valid: Promise<ReadonlySet<number>>;
  shared: Map<string, Promise<unknown>>;
}
const openChecks = new WeakMap<Db, ReaderChecks>();

function joinChecks(db: Db): ReaderChecks {
  const open = openChecks.get(db);
  if (open) return open;
  const credentials: OpenCredential[] = [];
  const closed = nextTurn().then(() => void openChecks.delete(db));
  const valid = closed.then(() => findValidCredentials(db, credentials));
  // Whoever waits for it gets the error.
  valid.catch(() => {});
  const checks = { credentials, closed, valid, shared: new Map<string, Promise<unknown>>() };
  openChecks.set(db, checks);
  return checks;
}

/** What the request that opened the stream could read now; undefined when it would be refused. */
async function readLimits(
  db: Db,
  topicId: number,
  { caller, clientId, credential, capabilities }: Reader,
): Promise<{ visible: VisibleFields } | undefined> {
  const { credentials, closed, valid, shared } = joinChecks(db);
  const index = credentials.push(credential) - 1;
  const share = <T>(key: string, load: () => Promise<T>): Promise<T> => {
    const loaded = (shared.get(key) as Promise<T> | undefined) ?? closed.then(load);
    shared.set(key, loaded);
    return loaded;
  };
  const { siteId, userId, acting } = caller;
  const [indexes, held, limits] = await Promise.all([
    valid,
    share(`capabilities ${siteId} ${userId} ${acting?.principalId ?? ''}`, () =>
      loadEffectiveCapabilities(db, caller),
    ),
    clientId === undefined ? null : share(`limits ${clientId}`, () => getLimits(db, siteId, clientId)),
  ]);
  if (!indexes.has(index) || ![...held].some((each) => capabilities.includes(each))) return undefined;
  if (!limits) return { visible: null };
  const topic = limits.find((each) => each.topicId === topicId);
  return topic && { visible: topic.entryTypes ?? null };
}

/** @throws ApiError 400 for an offset after the last event */
function parseLastEventId(text: string | undefined, { next, name }: StoredTopic): number {
  if (text === undefined) return next;
  const offset = Number(text);
  if (!/^\d{1,16}$/.test(text) || offset >= next)
    throw badRequest([{ path: 'Last-Event-ID', message: `is not an offset of ${name}` }]);
  return offset + 1;
}

const formatGap = (from: number, end: number): string =>
  `event: gap\ndata: {"from":${from},"to":${end - 1}}\n\n`;

async function* readEvents(
  db: Db,
  topic: WatchedTopic,
  { from, reader, recordEvents }: { from: number; reader: Reader; recordEvents: () => Promise<void> },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { siteId } = reader.caller;
  const endsAt = performance.now() + MAX_STREAM_MS;
  const { topicId, name } = topic;
  let next = from;
  let { end } = topic;
  let news: News | undefined;
  yield `retry: ${RECONNECT_MS}\n\n`;
  while (performance.now() < endsAt && !signal.aborted) {
    let messages: StoredMessage[] = [];
    if (next < end)
      messages = news
        ? await news.read(topicId, next, BATCH_SIZE)
        : await readMessages(db, siteId, { topicId, from: next, limit: BATCH_SIZE });
    // After the reading, so that nothing written after the end of the session is sent.
    const limits = await readLimits(db, topicId, reader);
    if (!limits) return;
    if (messages.length > 0) await recordEvents();
    for (const stored of messages) {
      const message = limitMessage(stored, limits.visible);
      if (message.off > next) yield formatGap(next, message.off);
      yield formatEvent(message.off, formatMessage(message, name));
      next = message.off + 1;
    }
    if (messages.length > 0) continue;
    news = undefined;
    if (next < end) yield formatGap(next, end);
    next = Math.max(next, end);
    const outcome = await getEventWatch(db).wait(siteId, [{ topicId, name, end }], {
      timeoutMs: HEARTBEAT_MS,
      signals: [signal],
    });
    if (outcome.kind !== 'event') {
      yield ': \n\n';
      continue;
    }
    const known = outcome.news.getEnd(topicId);
    if (known === null) return;
    end = known;
    ({ news } = outcome);
  }
}
