import { setTimeout as sleep } from 'node:timers/promises';
import type { SubscriberTopic } from '../../../contract/generated/types.gen.ts';
import { type Db, getSharedDb, isEmbedded } from '../../kernel/db/database.ts';
import { onEventsCommitted } from '../../kernel/outbox/commits.ts';
import { readMessages, type StoredMessage } from './messages.store.ts';
import * as store from './publications.store.ts';
import type { EventSummary } from './publications.store.ts';
import type { VisibleFields } from './subscriber-limits.ts';
import { findLimits } from './subscribers.store.ts';

/**
 * Milliseconds between two looks for the commits of other processes, while something waits. NOTIFY would take a lock of the whole
 * server at every commit, and poolers drop LISTEN. The embedded database has no other process.
 */
const INTERVAL_MS = { postgres: 100, embedded: 1_000 };
/** Commits within this time after the first are looked for together. */
const GATHER_MS = 10;
/** Least time between two looks, so that steady commits cost writers little. */
const MIN_INTERVAL_MS = 40;

/** Time after which a newer poll of the same consumer in another process answers one that waits. An event that wakes it tells sooner. */
const REPLACED_MS = 1_000;

/** Time between two looks for pages. */
const POSITIONS_MS = 1_000;

/** What ended a wait: an event or a deleted topic, a newer poll of the same consumer, or the time or an abort signal. */
type WaitOutcome = { kind: 'event'; news: News } | { kind: 'replaced' } | { kind: 'over' };

/** A topic that is waited for, and its next offset when it was read. */
export interface WatchedTopic {
  topicId: number;
  name: string;
  end: number;
}

/** The poll that waits; the newest poll of an API key replaces the others. */
interface WaitingPoll {
  clientId: number;
  pollId: string;
}

interface Waiter {
  siteId: number;
  topics: readonly WatchedTopic[];
  poll: WaitingPoll | undefined;
  resolve: (outcome: WaitOutcome) => void;
}

/** What a look has found, for all that it wakes: each read is done once for all who ask for the same. */
export interface News {
  /** Offset of the next event of a topic; null when it was deleted. */
  getEnd(topicId: number): number | null;
  /** Messages of a topic from an offset on. */
  read(topicId: number, from: number, limit: number): Promise<StoredMessage[]>;
  /** Changes by the events of a default topic from an offset on; undefined when these are too many or too large to read. */
  summarize(topicId: number, from: number): Promise<EventSummary | undefined>;
  /** What an API key may read of the topic now; undefined when the topic does not exist for it. */
  getVisible(clientId: number, topicId: number): { visible: VisibleFields } | undefined;
}

export interface EventWatch {
  /** Waits for an event in one of the topics of a site. Uses no database connection while it waits. */
  wait(
    siteId: number,
    topics: readonly WatchedTopic[],
    options: { poll?: WaitingPoll; timeoutMs: number; signals: readonly AbortSignal[] },
  ): Promise<WaitOutcome>;
  /** Looks for events soon; with the API key of a poll that has begun also for older polls of it. */
  wake(clientId?: number): void;
}

interface WatchIntervals {
  /** Time between two looks for the commits of other processes. */
  intervalMs: number;
  /** Least time between two looks. */
  minIntervalMs: number;
}

/** One watch for each database of the process: one statement for all that wait. */
const watches = new WeakMap<Db, EventWatch>();
const positionWatches = new WeakMap<Db, EventWatch>();

function getWatch(map: WeakMap<Db, EventWatch>, ownDb: Db, intervals: (db: Db) => WatchIntervals) {
  const db = getSharedDb(ownDb);
  const watch = map.get(db) ?? createEventWatch(db, intervals(db));
  map.set(db, watch);
  return watch;
}

/** The watch of polls and of streams of events. */
export const getEventWatch = (db: Db): EventWatch =>
  getWatch(watches, db, (shared) => ({
    intervalMs: isEmbedded(shared) ? INTERVAL_MS.embedded : INTERVAL_MS.postgres,
    minIntervalMs: MIN_INTERVAL_MS,
  }));

/** The watch of pages, for which a second is soon enough: a console that is open all day costs one short statement a second. */
export const getPositionWatch = (db: Db): EventWatch =>
  getWatch(positionWatches, db, () => ({ intervalMs: POSITIONS_MS, minIntervalMs: POSITIONS_MS }));

/** Messages that are read once for all who ask for them. */
function createNews(
  db: Db,
  siteIds: ReadonlyMap<number, number>,
  ends: ReadonlyMap<number, number>,
  limits: ReadonlyMap<number, readonly SubscriberTopic[]>,
): News {
  const reads = new Map<string, Promise<StoredMessage[]>>();
  const summaries = new Map<string, Promise<EventSummary | undefined>>();
  return {
    getEnd: (topicId) => ends.get(topicId) ?? null,
    read(topicId, from, limit) {
      const key = `${topicId} ${from} ${limit}`;
      const read = reads.get(key) ?? readMessages(db, siteIds.get(topicId) ?? 0, { topicId, from, limit });
      reads.set(key, read);
      return read;
    },
    summarize(topicId, from) {
      const key = `${topicId} ${from}`;
      const summary =
        summaries.get(key) ?? store.summarizeEvents(db, siteIds.get(topicId) ?? 0, topicId, from);
      summaries.set(key, summary);
      return summary;
    },
    getVisible(clientId, topicId) {
      const limited = limits.get(clientId);
      if (!limited) return { visible: null };
      const topic = limited.find((each) => each.topicId === topicId);
      return topic && { visible: topic.entryTypes ?? null };
    },
  };
}

const isBehind = ({ topicId, end }: WatchedTopic, ends: ReadonlyMap<number, number>): boolean => {
  const next = ends.get(topicId);
  return next === undefined || next > end;
};

function createEventWatch(db: Db, { intervalMs, minIntervalMs }: WatchIntervals): EventWatch {
  const waiters = new Set<Waiter>();
  /** API keys of which a poll has begun since the last look. */
  let begun = new Set<number>();
  let isRunning = false;
  let isWoken = false;
  let wakeLoop: (() => void) | undefined;

  async function look(mustCheckAllPolls: boolean): Promise<void> {
    const waiting = [...waiters];
    const siteIds = new Map(
      waiting.flatMap(({ siteId, topics }) => topics.map(({ topicId }) => [topicId, siteId])),
    );
    const started = begun;
    begun = new Set();
    const checkReplaced = async (compared: readonly Waiter[]): Promise<void> => {
      const replaced = compared.length > 0 ? await store.findReplacedPolls(db, compared) : [];
      for (const index of replaced) compared[index]?.resolve({ kind: 'replaced' });
    };
    const polls = waiting.filter(({ poll }) => poll);
    const checked = new Set(
      mustCheckAllPolls ? polls : polls.filter(({ poll }) => poll && started.has(poll.clientId)),
    );
    const [ends] = await Promise.all([
      store.readTopicEnds(db, [...siteIds.keys()]),
      checkReplaced([...checked]),
    ]);
    const woken = waiting.filter(({ topics }) => topics.some((topic) => isBehind(topic, ends)));
    if (woken.length === 0) return;
    const clientIds = [...new Set(woken.flatMap(({ poll }) => poll?.clientId ?? []))];
    const [limits] = await Promise.all([
      clientIds.length > 0 ? findLimits(db, clientIds) : new Map<number, readonly SubscriberTopic[]>(),
      checkReplaced(woken.filter((waiter) => waiter.poll && !checked.has(waiter))),
    ]);
    const news = createNews(db, siteIds, ends, limits);
    for (const { resolve } of woken) resolve({ kind: 'event', news });
  }

  /** Runs while something waits. */
  async function run(): Promise<void> {
    isRunning = true;
    const stopListening = onEventsCommitted(({ siteId, topics: names }) => {
      if (isWoken) return;
      const isAwaited = waiters
        .values()
        .some((waiter) => waiter.siteId === siteId && waiter.topics.some(({ name }) => names.includes(name)));
      if (isAwaited) wakeLoop?.();
    });
    let checkedAt = -Infinity;
    let lookedAt = -Infinity;
    try {
      while (waiters.size > 0) {
        if (!isWoken) {
          const woken = Promise.withResolvers<void>();
          wakeLoop = () => {
            isWoken = true;
            woken.resolve();
          };
          await Promise.race([woken.promise, sleep(intervalMs, undefined, { ref: false })]);
        }
        const pauseMs = Math.max(GATHER_MS, lookedAt + minIntervalMs - performance.now());
        await sleep(pauseMs, undefined, { ref: false });
        isWoken = false;
        if (waiters.size === 0) break;
        lookedAt = performance.now();
        const mustCheckAllPolls = lookedAt - checkedAt >= REPLACED_MS;
        if (mustCheckAllPolls) checkedAt = lookedAt;
        // While the database does not answer, polls wait until their time is over.
        await look(mustCheckAllPolls).catch(() => sleep(intervalMs, undefined, { ref: false }));
      }
    } finally {
      stopListening();
      isRunning = false;
    }
  }

  const wake = (clientId?: number): void => {
    if (clientId !== undefined) begun.add(clientId);
    isWoken = true;
    wakeLoop?.();
  };

  return {
    wake,
    async wait(siteId, topics, { poll, timeoutMs, signals }) {
      if (signals.some(({ aborted }) => aborted)) return { kind: 'over' };
      const { promise, resolve } = Promise.withResolvers<WaitOutcome>();
      const waiter = { siteId, topics, poll, resolve };
      const end = () => resolve({ kind: 'over' });
      const timer = setTimeout(end, timeoutMs);
      for (const signal of signals) signal.addEventListener('abort', end);
      waiters.add(waiter);
      if (!isRunning) void run();
      // An event may have been committed between the read and now; an older poll of the same consumer is answered.
      wake(poll?.clientId);
      try {
        return await promise;
      } finally {
        waiters.delete(waiter);
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener('abort', end);
      }
    },
  };
}
