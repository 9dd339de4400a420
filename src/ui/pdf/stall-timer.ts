/** Reports work that makes no progress. */
export interface StallTimer {
  /** Counts a piece of work until it settles. Its result is unchanged. */
  track: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Pauses the timer until a wait for something else, such as the network, settles. */
  pauseFor: <Result>(wait: Promise<Result>) => Promise<Result>;
  /** Restarts the time. */
  recordProgress: () => void;
  stop: () => void;
}

/** Calls `onStall` once when tracked work has made no progress for `timeoutMs`. */
export function createStallTimer(timeoutMs: number, onStall: () => void): StallTimer {
  let [working, waiting, isStopped] = [0, 0, false];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restart = () => {
    clearTimeout(timer);
    timer = undefined;
    if (isStopped || working === 0 || waiting > 0) return;
    timer = setTimeout(() => {
      isStopped = true;
      onStall();
    }, timeoutMs);
  };
  return {
    async track(work) {
      working += 1;
      if (working === 1) restart();
      try {
        return await work;
      } finally {
        working -= 1;
        restart();
      }
    },
    async pauseFor(wait) {
      waiting += 1;
      restart();
      try {
        return await wait;
      } finally {
        waiting -= 1;
        restart();
      }
    },
    recordProgress: restart,
    stop: () => {
      isStopped = true;
      restart();
    },
  };
}
