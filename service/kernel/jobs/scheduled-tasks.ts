import type { Log } from '../log.ts';

/** Work that the service does at intervals without a request. */
export interface ScheduledTask {
  name: string;
  intervalMs: number;
  /**
   * Every process runs its tasks: if two do so at the same time, the work must be done once (`for update skip locked`). `signal`
   * fires when the service stops; long work should end then.
   */
  run(signal?: AbortSignal): Promise<void>;
}

export interface TaskScheduler {
  /** Runs a task now, or once more if it is running. */
  wake(name: string): void;
  /** Starts no further runs and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Runs each task at once and then at its interval, never twice at the same time. A failure is logged; the task runs again later. */
export function startScheduledTasks({
  log,
  tasks,
}: {
  log: Log;
  tasks: readonly ScheduledTask[];
}): TaskScheduler {
  const abortController = new AbortController();
  const { signal } = abortController;
  const runners = new Map(tasks.map((task) => [task.name, startTask(task)]));

  function startTask(task: ScheduledTask): { wake(): void; waitUntilIdle(): Promise<void> } {
    let timer: NodeJS.Timeout | undefined;
    let currentRun: Promise<void> | undefined;
    let mustRunAgain = false;
    async function run(): Promise<void> {
      clearTimeout(timer);
      do {
        mustRunAgain = false;
        try {
          await task.run(signal);
        } catch (error) {
          log.error({ err: error, task: task.name }, 'Scheduled task failed and will be retried');
        }
      } while (mustRunAgain && !signal.aborted);
      currentRun = undefined;
      if (!signal.aborted) timer = setTimeout(wake, task.intervalMs).unref();
    }
    function wake(): void {
      if (currentRun) mustRunAgain = true;
      else if (!signal.aborted) currentRun = run();
    }
    wake();
    return {
      wake,
      async waitUntilIdle() {
        clearTimeout(timer);
        await currentRun;
      },
    };
  }

  return {
    wake: (name) => runners.get(name)?.wake(),
    async stop() {
      abortController.abort();
      await Promise.all([...runners.values()].map((runner) => runner.waitUntilIdle()));
    },
  };
}
