import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, isEmbedded } from '../../kernel/db/database.ts';
import { onEventsCommitted } from '../../kernel/outbox/commits.ts';
import { readPollStates, type PollState } from './publications.store.ts';

/**
 * Milliseconds between two looks for the commits of other processes, while something waits. NOTIFY would take a lock of the whole
 * server at every commit, and poolers drop LISTEN. The embedded database has no other process.
 */
const INTERVAL_MS = { postgres: 100, embedded: 1_000 };
/** Commits within this time are looked for together, so that a burst of them costs writers no connection. */
const GATHER_MS = 10;
/** Client id of a waiter that is not a consumer; no API key has it. */
export const NO_CLIENT = 0;

/** What ended a wait: an event or a deleted topic, a newer poll of the same consumer, or the time or an abort signal. */
type WaitOutcome = 'event' | 'replaced' | 'over';

/** A topic that is waited for: its next offset when it was read, and the poll that waits. */
interface WaitFor extends PollState {
  next: number;
  pollId: string | undefined;
}

interface Waiter {
  topics: readonly WaitFor[];
  resolve: (outcome: WaitOutcome) => void;
}

export interface EventWatch {
  /** Waits for an event in one of the topics. Uses no database connection while it waits. */
  wait(topics: readonly WaitFor[], timeoutMs: number, signals: readonly AbortSignal[]): Promise<WaitOutcome>;
  /** Looks for events now. */
  wake(): void;
}

/** One watch for each database of the process: one statement for all that wait. */
const watches = new WeakMap<Db, EventWatch>();

export function getEventWatch(db: Db): EventWatch {
  const watch = watches.get(db) ?? createEventWatch(db);
  watches.set(db, watch);
  return watch;
}

function createEventWatch(db: Db): EventWatch {
  const waiters = new Set<Waiter>();
  const intervalMs = isEmbedded(db) ? INTERVAL_MS.embedded : INTERVAL_MS.postgres;
  let isRunning = false;
  let isWoken = false;
  let wakeLoop: (() => void) | undefined;

  async function look(): Promise<void> {
    const waiting = [...waiters];
    const topics = waiting.flatMap((waiter) => waiter.topics.map((topic) => ({ waiter, topic })));
    const states = await readPollStates(
      db,
      topics.map(({ topic }) => topic),
    );
    for (const [index, { waiter, topic }] of topics.entries()) {
      const state = states[index];
      if (!state || state.next === null || state.next !== topic.next) waiter.resolve('event');
      else if (topic.pollId !== undefined && state.pollId !== topic.pollId) waiter.resolve('replaced');
    }
  }

  /** Runs while something waits. */
  async function run(): Promise<void> {
    isRunning = true;
    const stopListening = onEventsCommitted(() => wakeLoop?.());
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
        await sleep(GATHER_MS, undefined, { ref: false });
        isWoken = false;
        // While the database does not answer, polls wait until their time is over.
        if (waiters.size > 0) await look().catch(() => sleep(intervalMs, undefined, { ref: false }));
      }
    } finally {
      stopListening();
      isRunning = false;
    }
  }

  const wake = (): void => {
    isWoken = true;
    wakeLoop?.();
  };

  return {
    wake,
    async wait(topics, timeoutMs, signals) {
      const { promise, resolve } = Promise.withResolvers<WaitOutcome>();
      const waiter = { topics, resolve };
      const signal = AbortSignal.any([...signals]);
      if (signal.aborted) return 'over';
      const end = () => resolve('over');
      const timer = setTimeout(end, timeoutMs);
      signal.addEventListener('abort', end, { once: true });
      waiters.add(waiter);
      if (!isRunning) void run();
      // An event may have been committed between the read and now; an older poll of the same consumer is answered.
      wake();
      try {
        return await promise;
      } finally {
        waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      }
    },
  };
}
