import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, retryLater } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import {
  findValidCredentials,
  loadEffectiveCapabilities,
  type OpenCredential,
} from '../../kernel/auth/callers.store.ts';
import { type Db, getSharedDb, recordShown } from '../../kernel/db/database.ts';
import { formatEvent, type OpenEvents } from '../../kernel/http/event-stream.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { getEventWatch, type News, type WatchedTopic } from './event-watch.ts';
import { formatMessage } from './messages.ts';
import * as store from './publications.store.ts';
import type { StoredMessage, StoredTopic } from './publications.store.ts';
import { limitMessage, type VisibleFields } from './subscriber-limits.ts';
import { getLimits } from './subscribers.store.ts';

/** Open streams of this process (T23). */
const MAX_STREAMS = { user: 5, site: 200, process: 2_000 };
/** A comment is sent after this time without an event, so that proxies keep the connection. */
const HEARTBEAT_MS = 15_000;
/** A stream ends after this time; the browser opens it again with `Last-Event-ID`. */
const MAX_STREAM_MS = 900_000;
/** Time that the browser waits before it opens the stream again. */
const RECONNECT_MS = 1_000;
const BATCH_SIZE = 50;

interface StreamOwner {
  db: Db;
  siteId: number;
  userId: number;
}
const openStreams = new Set<StreamOwner>();

/** Registers a stream. @throws ApiError 429 beyond the limits of the user, the site or the process */
function openStream(owner: StreamOwner): () => void {
  const own = [...openStreams].filter(({ db, siteId }) => db === owner.db && siteId === owner.siteId);
  const ofUser = own.filter(({ userId }) => userId === owner.userId);
  if (ofUser.length >= MAX_STREAMS.user)
    throw retryLater(429, `You have ${MAX_STREAMS.user} open streams, which is the limit`, 5);
  if (own.length >= MAX_STREAMS.site || openStreams.size >= MAX_STREAMS.process)
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
  const { caller, query, lastEventId, origin, operations } = call;
  const { db: ownDb } = call;
  const db = getSharedDb(ownDb);
  const { siteId, userId, clientId } = caller;
  const topic = (await store.listTopics(db, siteId, clientId)).find(({ name }) => name === query.topic);
  if (!topic) throw badRequest([{ path: 'topic', message: `Topic "${query.topic}" does not exist` }]);
  const { topicId, name, next: end } = topic;
  // Only what an open stream needs: it does not keep the request.
  const reader: Reader = {
    caller: { siteId, userId, acting: caller.acting },
    clientId,
    credential: {
      tokenHash: caller.tokenHash,
      ip: origin.ip,
      principalId: caller.acting?.principalId ?? null,
    },
    capabilities: operations.find(({ id }) => id === 'streamTopic')?.capabilities ?? [],
    // A program reads what an event tells of; the console shows the event.
    recordShown: async () => (clientId === undefined ? undefined : recordShown(ownDb)),
  };
  const from = parseLastEventId(lastEventId, topic);
  return {
    status: 200,
    events: (signal) => {
      const close = openStream({ db, siteId, userId });
      signal.addEventListener('abort', close, { once: true });
      return readEvents(db, { topicId, name, end }, from, reader, signal);
    },
  };
}

/** Who reads a stream: what is checked before each event is sent. */
interface Reader {
  caller: Pick<Caller, 'siteId' | 'userId' | 'acting'>;
  clientId: number | undefined;
  credential: OpenCredential;
  /** One of them is required. */
  capabilities: readonly string[];
  /** Called before events are sent. */
  recordShown: () => Promise<void>;
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
  from: number,
  reader: Reader,
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
        : await store.readMessages(db, siteId, new Map([[topicId, next]]), BATCH_SIZE);
    // After the reading, so that nothing written after the end of the session is sent.
    const limits = await readLimits(db, topicId, reader);
    if (!limits) return;
    if (messages.length > 0) await reader.recordShown();
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
