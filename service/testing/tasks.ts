import type { ScheduledTask } from '../kernel/tasks/scheduled-tasks.ts';

/** Runs a scheduled task until no work is left, as the scheduler does. @throws the error of an item that failed */
export async function runTask(task: ScheduledTask): Promise<void> {
  for (;;) {
    const { runAgainInMs, failures: [failure] = [] } = (await task.run()) ?? {};
    if (failure) throw failure.error;
    if (runAgainInMs !== 0) return;
  }
}
