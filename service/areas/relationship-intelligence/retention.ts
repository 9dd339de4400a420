import type { Db } from '../../kernel/db/database.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { deleteOldItems, listSitesWithOldItems } from './import/retention.store.ts';
import { deleteOldRuns } from './import/runs.store.ts';

const DAY_MS = 86_400_000;

/** Scheduled tasks that delete runs after 90 days and items after the retention that the site has set. */
export const createRetentionTasks = ({ db }: { db: Db }): ScheduledTask[] => [
  {
    name: 'relationship runs retention',
    intervalMs: DAY_MS,
    run: async () => ((await deleteOldRuns(db)) ? { runAgainInMs: 0 } : undefined),
  },
  createItemTask(db, {
    name: 'relationship items retention',
    intervalMs: DAY_MS,
    listItems: async () => (await listSitesWithOldItems(db)).map((siteId) => ({ siteId, item: '' })),
    runStep: ({ siteId }, _signal, siteDb) =>
      siteDb.transaction().execute((tx) => deleteOldItems(tx, siteId)),
  }),
];
