/** Longest delay of a timer of Node, 24 days; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** A repeated run, never twice at the same time. */
export interface WakeLoop {
  /** Runs now, or once more if a run is in progress. */
  wake(): void;
  /** Starts no further runs and resolves when the current one has ended. */
  stop(): Promise<void>;
}

/**
 * Runs at once and then repeatedly until it is stopped.
 * @param run must not reject; resolves with the milliseconds until the next run, which comes after 24 days at the latest
 */
export function startWakeLoop(run: () => Promise<number>): WakeLoop {
  let timer: NodeJS.Timeout | undefined;
  let currentRun: Promise<void> | undefined;
  let mustRunAgain = false;
  const stopping = new AbortController();

  async function runUntilIdle(): Promise<void> {
    clearTimeout(timer);
    let delayMs = 0;
    do {
      mustRunAgain = false;
      delayMs = await run();
    } while (mustRunAgain && !stopping.signal.aborted);
    currentRun = undefined;
    if (!stopping.signal.aborted) timer = setTimeout(wake, Math.min(delayMs, MAX_DELAY_MS)).unref();
  }

  function wake(): void {
    if (currentRun) mustRunAgain = true;
    else if (!stopping.signal.aborted) currentRun = runUntilIdle();
  }

  wake();
  return {
    wake,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await currentRun;
    },
  };
}
