import { badRequest, retryLater } from '../../kernel/api-error.ts';
import { findValidCredentials, loadEffectiveCapabilities } from '../../kernel/auth/callers.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import { formatEvent, type OpenEvents } from '../../kernel/http/event-stream.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { getEventWatch, NO_CLIENT } from './event-watch.ts';
import { formatMessage } from './messages.ts';
import * as store from './publications.store.ts';
import type { StoredTopic } from './publications.store.ts';
import { limitMessage, type VisibleFields } from './subscriber-limits.ts';

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
  const { caller, db, query, lastEventId } = call;
  const topic = (await store.listTopics(db, caller.siteId, caller.clientId)).find(
    ({ name }) => name === query.topic,
  );
  if (!topic) throw badRequest([{ path: 'topic', message: `Topic "${query.topic}" does not exist` }]);
  const from = parseLastEventId(lastEventId, topic);
  return {
    status: 200,
    events: (signal) => {
      const close = openStream({ db, siteId: caller.siteId, userId: caller.userId });
      signal.addEventListener('abort', close, { once: true });
      return readEvents(db, topic, from, {
        siteId: caller.siteId,
        signal,
        readLimits: () => readLimits(call, topic.topicId),
      });
    },
  };
}

/** What the request that opened the stream could read now; undefined when it would be refused. */
async function readLimits(
  { db, caller, origin, operations }: Call<'streamTopic'>,
  topicId: number,
): Promise<{ visible: VisibleFields } | undefined> {
  const { tokenHash, acting, clientId } = caller;
  const credential = { tokenHash, ip: origin.ip, principalId: acting?.principalId ?? null };
  const [valid, held, topics] = await Promise.all([
    findValidCredentials(db, [credential]),
    loadEffectiveCapabilities(db, caller),
    clientId === undefined ? [] : store.listTopics(db, caller.siteId, clientId),
  ]);
  const required: readonly string[] = operations.find(({ id }) => id === 'streamTopic')?.capabilities ?? [];
  if (valid.size === 0 || ![...held].some((each) => required.includes(each))) return undefined;
  return clientId === undefined ? { visible: null } : topics.find((topic) => topic.topicId === topicId);
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
  { topicId, name }: StoredTopic,
  from: number,
  {
    siteId,
    signal,
    readLimits: readCurrentLimits,
  }: {
    siteId: number;
    signal: AbortSignal;
    readLimits: () => Promise<{ visible: VisibleFields } | undefined>;
  },
): AsyncGenerator<string> {
  const endsAt = performance.now() + MAX_STREAM_MS;
  let next = from;
  yield `retry: ${RECONNECT_MS}\n\n`;
  while (performance.now() < endsAt && !signal.aborted) {
    const messages = await store.readMessages(db, siteId, new Map([[topicId, next]]), BATCH_SIZE);
    // After the reading, so that nothing written after the end of the session is sent.
    const limits = await readCurrentLimits();
    if (!limits) return;
    for (const stored of messages) {
      const message = limitMessage(stored, limits.visible);
      if (message.off > next) yield formatGap(next, message.off);
      yield formatEvent(message.off, formatMessage(message, name));
      next = message.off + 1;
    }
    if (messages.length > 0) continue;
    const waited = { siteId, topicId, clientId: NO_CLIENT, next, pollId: undefined };
    const outcome = await getEventWatch(db).wait([waited], HEARTBEAT_MS, [signal]);
    if (outcome === 'over') {
      yield ': \n\n';
      continue;
    }
    const topic = (await store.listTopics(db, siteId)).find((each) => each.topicId === topicId);
    if (!topic) return;
    if (topic.oldest > next) yield formatGap(next, topic.oldest);
    next = Math.max(next, topic.oldest);
  }
}
