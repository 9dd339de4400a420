/** Notices a PostgreSQL server that stops responding without closing its connections: paused, hung, or behind a dead network. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { dbErrorCodes } from './errors.ts';

/** A statement or a connection attempt that takes longer makes the watch ask the server whether it still responds. */
const PROBE_AFTER_MS = 500;
/** Together with PROBE_AFTER_MS the longest time for which a request waits for a server that does not respond. */
export const PROBE_TIMEOUT_MS = 2_500;
/** Pause between two probes while the server does not respond. */
const RECOVERY_INTERVAL_MS = 1_000;

/** The server did not respond. The outcome of a statement in progress is unknown. */
export class ServerSilentError extends Error {
  readonly code = dbErrorCodes.connectionLost;

  constructor() {
    super('The database does not respond');
    this.name = 'ServerSilentError';
  }
}

export interface ServerWatch {
  /** Whether the server is known not to respond. */
  readonly isSilent: boolean;
  /**
   * Starts `work` and settles like it. Rejects as soon as the server is known not to respond; `work` is then not started, or
   * goes on unobserved.
   * @throws ServerSilentError
   */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** Ends all probes. */
  close(): void;
}

/**
 * Watches a server. Statements may take long as long as the server answers `probe`, a trivial statement on a connection of
 * its own; so a slow report is not mistaken for a hung server, which a short statement timeout would do. While the server
 * does not respond, all work is rejected at once, and the probe is repeated until it succeeds. `probe` must not give up before
 * PROBE_TIMEOUT_MS.
 */
export function watchServer(probe: () => Promise<unknown>): ServerWatch {
  const waiting = new Set<{ since: number; reject: (error: Error) => void }>();
  let isSilent = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** False only without any answer: an error of the server or a refused connection is an answer as well. */
  const responds = async (): Promise<boolean> => {
    let hasAnswered = false;
    const noteAnswer = () => (hasAnswered = true);
    await Promise.race([
      probe().then(noteAnswer, noteAnswer),
      sleep(PROBE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    // If this process was busy, the timer fires before an answer is read that arrived in time.
    await nextTurn();
    await nextTurn();
    return hasAnswered;
  };

  const schedule = (delayMs: number): void => {
    if (timer || isClosed) return;
    timer = setTimeout(() => void check(), delayMs).unref();
  };

  const check = async (): Promise<void> => {
    const oldest = [...waiting][0];
    const isDue = isSilent || (oldest && performance.now() - oldest.since >= PROBE_AFTER_MS);
    if (isDue) isSilent = !(await responds());
    if (isSilent) {
      for (const { reject } of waiting) reject(new ServerSilentError());
      waiting.clear();
    }
    timer = undefined;
    if (isSilent) schedule(RECOVERY_INTERVAL_MS);
    else if (waiting.size > 0) schedule(PROBE_AFTER_MS);
  };

  return {
    get isSilent() {
      return isSilent;
    },
    guard<T>(work: () => Promise<T>): Promise<T> {
      if (isSilent) return Promise.reject(new ServerSilentError());
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const entry = { since: performance.now(), reject };
      waiting.add(entry);
      schedule(PROBE_AFTER_MS);
      const end = () => waiting.delete(entry);
      const running = work();
      running.then(end, end);
      running.then(resolve, reject);
      return promise;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
