import type { Command } from './command.ts';
import { readBackgroundMetrics } from './commands.store.ts';

/** `metrics`: prints the state of background work as numbers for monitoring. */
export const showMetrics: Command = async ({ db }) => {
  const { tasks, ...totals } = await readBackgroundMetrics(db);
  return {
    ...totals,
    failedItems: tasks.reduce((sum, { retrying, parked }) => sum + retrying + parked, 0),
    parkedItems: tasks.reduce((sum, { parked }) => sum + parked, 0),
    tasks,
  };
};
