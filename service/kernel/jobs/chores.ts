import type { Log } from '../log.ts';

/** Something that the service does from time to time, whoever asks for what. */
export interface Chore {
  name: string;
  everyMs: number;
  /**
   * Every process runs its chores: two of them at the same moment must do the work once (`for update skip locked`).
   * `signal`: the service stops, and what takes long gives up.
   */
  run(signal?: AbortSignal): Promise<void>;
}

export interface Chores {
  /** Does one now: there is news for it. */
  wake(name: string): void;
  /** Begins no further round and answers when what is under way has ended. */
  stop(): Promise<void>;
}

/** Runs each chore at its own pace, one round after the other; a failure is told and tried again at the next round. */
export function startChores({ log, chores }: { log: Log; chores: readonly Chore[] }): Chores {
  const stopping = new AbortController();
  const { signal } = stopping;
  const rounds = new Map(chores.map((chore) => [chore.name, startOne(chore)]));

  function startOne(chore: Chore): { wake(): void; ended(): Promise<void> } {
    let timer: NodeJS.Timeout | undefined;
    let round: Promise<void> | undefined;
    let again = false;
    const plan = () => {
      if (!signal.aborted) timer = setTimeout(wake, chore.everyMs).unref();
    };
    async function run(): Promise<void> {
      clearTimeout(timer);
      do {
        again = false;
        try {
          // oxlint-disable-next-line no-await-in-loop -- one round after the other
          await chore.run(signal);
        } catch (error) {
          log.error({ err: error, chore: chore.name }, 'A chore failed and will be tried again');
        }
      } while (again && !signal.aborted);
      round = undefined;
      plan();
    }
    function wake(): void {
      if (round) again = true;
      else if (!signal.aborted) round = run();
    }
    wake();
    return {
      wake,
      async ended() {
        clearTimeout(timer);
        await round;
      },
    };
  }

  return {
    wake: (name) => rounds.get(name)?.wake(),
    async stop() {
      stopping.abort();
      await Promise.all([...rounds.values()].map((each) => each.ended()));
    },
  };
}
