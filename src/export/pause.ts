/** Holds up what goes on step by step. */
export interface Pause {
  isPaused: () => boolean;
  /** Pauses what goes on, lets go on what is paused. */
  turn: () => void;
  /** Waits while it is paused. @throws the reason of the signal, when that says so */
  passed: (signal: AbortSignal) => Promise<void>;
}

export function createPause(): Pause {
  let gate: PromiseWithResolvers<void> | undefined;
  return {
    isPaused: () => gate !== undefined,
    turn() {
      gate?.resolve();
      gate = gate ? undefined : Promise.withResolvers<void>();
    },
    async passed(signal) {
      if (gate) {
        const stop = () => gate?.resolve();
        signal.addEventListener('abort', stop);
        await gate.promise;
        signal.removeEventListener('abort', stop);
      }
      signal.throwIfAborted();
    },
  };
}
