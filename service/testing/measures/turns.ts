/** How long the thread that answers requests computes without a pause. */
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest computation that may delay other requests. */
export const MAX_TURN_MS = 100;

/** A computation without a pause: its processor time, and when it took place by the clock of `performance`. */
interface Turn {
  cpuMs: number;
  from: number;
  to: number;
  /** Times in which the test itself computed; `cpuMs` does not contain them. */
  excluded: readonly { from: number; to: number }[];
}

const NO_TURN: Turn = { cpuMs: 0, from: 0, to: 0, excluded: [] };

/** Milliseconds of processor time that this thread has used since. */
function getCpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
}

/**
 * Measures the processor time between two turns of the event loop, which other processes of the machine do not affect, and the
 * collections of garbage in it, which do not follow the request. A collection is measured by the clock, so that on a busy machine
 * more than its processor time may be taken off.
 */
export function watchTurns() {
  let last = process.threadCpuUsage();
  let lastAt = performance.now();
  let longest = NO_TURN;
  let excluded = { cpuMs: 0, spans: [] as { from: number; to: number }[] };
  const restart = () => {
    last = process.threadCpuUsage();
    lastAt = performance.now();
    excluded = { cpuMs: 0, spans: [] };
  };
  const measure = () => {
    const cpuMs = getCpuMs(last) - excluded.cpuMs;
    if (cpuMs > longest.cpuMs)
      longest = { cpuMs, from: lastAt, to: performance.now(), excluded: excluded.spans };
    restart();
  };
  const timer = setInterval(measure, 1);
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return {
    start() {
      longest = NO_TURN;
      restart();
    },
    /** The longest computation since the start, and how long garbage was collected during it. */
    async stop(): Promise<{ cpuMs: number; collectionMs: number }> {
      measure();
      const { cpuMs, from, to, excluded: own } = longest;
      // Requests that are sent together need the entries of each other.
      if (collections.length > 1_000) collections.splice(0, 500);
      if (cpuMs <= MAX_TURN_MS) return { cpuMs, collectionMs: 0 };
      // Entries are reported in a later turn.
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      const collectionMs = collections
        .filter(({ startTime }) => !own.some((span) => startTime >= span.from && startTime < span.to))
        .map(({ startTime, duration }) => Math.min(startTime + duration, to) - Math.max(startTime, from))
        .reduce((sum, ms) => sum + Math.max(0, ms), 0);
      return { cpuMs, collectionMs: Math.min(collectionMs, cpuMs) };
    },
    /** Runs work of the test itself, which takes no time of the requests. */
    exclude<T>(work: () => T): T {
      const [before, from] = [process.threadCpuUsage(), performance.now()];
      try {
        return work();
      } finally {
        excluded.cpuMs += getCpuMs(before);
        excluded.spans.push({ from, to: performance.now() });
      }
    },
    end() {
      clearInterval(timer);
      observer.disconnect();
    },
  };
}
