import { defineCommand } from './command.ts';
import { readBackgroundMetrics } from './commands.store.ts';

export const showMetrics = defineCommand({
  name: 'metrics',
  summary: 'Print the state of background work for monitoring',
  details: 'Queued and failed calculations, failed backups, and failed items of each scheduled task.',
  options: {},
  async run({ db }) {
    const { tasks, ...totals } = await readBackgroundMetrics(db);
    return {
      ...totals,
      failedItems: tasks.reduce((sum, { retrying, parked }) => sum + retrying + parked, 0),
      parkedItems: tasks.reduce((sum, { parked }) => sum + parked, 0),
      tasks,
    };
  },
});
