import type { Log } from '../telemetry/log.ts';
import { failedTaskRuns } from '../telemetry/metrics.ts';
import { getRetryDelayMs } from './backoff.ts';
import type { TaskItem } from './task-failures.store.ts';
import { startWakeLoop } from './wake-loop.ts';

/** A failed attempt to process an item of a task. */
export interface ItemFailure extends TaskItem {
  error: unknown;
  attempts: number;
  /** Milliseconds until the next attempt; null when the item is parked, that is, not retried by itself any more. */
  retryInMs: number | null;
}

/** Signal of a run by a caller without a shutdown, such as a command or a test. */
export const NEVER_ABORTED = new AbortController().signal;

/** Result of a run; nothing when the run did all there was to do. */
interface TaskOutcome {
  /** Milliseconds after which the task should run again, if that is before its interval; 0 when work is left. */
  runAgainInMs?: number;
  /** Items that failed; the others were processed. */
  failures?: readonly ItemFailure[];
}

/** Work that the service does at intervals without a request. */
export interface ScheduledTask {
  name: string;
  intervalMs: number;
  /**
   * Every process runs its tasks: if two do so at the same time, the work must be done once (`for update skip locked`). `signal`
   * fires when the service stops; long work should end then. Tasks that work on sites or other items use `createItemTask`
   * (run-in-turns.ts), so that one failing item does not stop the others.
   * @throws Error when no item could be processed; the task is retried with backoff
   */
  run(signal?: AbortSignal): Promise<TaskOutcome | void>;
}

export interface TaskScheduler {
  /** Runs a task now, or once more if it is running. */
  wake(name: string): void;
  /** Starts no further runs and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** First delay of a retry; tasks with a shorter interval begin with that. */
const RETRY_DELAY_MS = 5_000;

/**
 * Runs each task at once and then at its interval, never twice at the same time. A run that fails is logged, counted and retried with backoff.
 * A task as a whole is never parked: it fails when the database cannot be reached.
 */
export function startScheduledTasks({
  log,
  tasks,
  onParked,
}: {
  log: Log;
  tasks: readonly ScheduledTask[];
  /** Called for an item that is not retried by itself any more; must not reject. */
  onParked?: (task: ScheduledTask, failure: ItemFailure) => Promise<void>;
}): TaskScheduler {
  const abortController = new AbortController();
  const { signal } = abortController;

  function startTask(task: ScheduledTask) {
    let failureCount = 0;
    return startWakeLoop(async () => {
      try {
        const { runAgainInMs = Infinity, failures = [] } = (await task.run(signal)) ?? {};
        failureCount = 0;
        for (const failure of failures) {
          logFailure(log, task, failure);
          if (failure.retryInMs === null) await onParked?.(task, failure);
        }
        return Math.min(task.intervalMs, runAgainInMs);
      } catch (error) {
        failureCount += 1;
        failedTaskRuns.inc({ task: task.name });
        log.error({ err: error, task: task.name, failureCount }, 'Scheduled task failed and will be retried');
        return getRetryDelayMs(failureCount, Math.min(task.intervalMs, RETRY_DELAY_MS));
      }
    });
  }

  const loops = new Map(tasks.map((task) => [task.name, startTask(task)]));
  return {
    wake: (name) => loops.get(name)?.wake(),
    async stop() {
      abortController.abort();
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
    },
  };
}

function logFailure(log: Log, { name }: ScheduledTask, { error, ...fields }: ItemFailure): void {
  const message =
    fields.retryInMs === null
      ? 'Item of a scheduled task is parked'
      : 'Item of a scheduled task will be retried';
  log.error({ err: error, task: name, ...fields }, message);
}
