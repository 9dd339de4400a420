import {
  deleteExpiredSessions,
  deleteOldActivity,
  listSitesWithOldActivity,
} from '../../kernel/audit/activity.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';

const MINUTE_MS = 60_000;

/**
 * Age in days after which the activity log is deleted: the 90 days of the report, the rest of its first day, and a week
 * so that no open page loses its last rows.
 */
export const ACTIVITY_LOG_RETENTION_DAYS = 98;

/** Scheduled tasks that end expired sessions, and delete activity older than the report with its counts. */
export const createActivityTasks = ({ db }: { db: Db }): ScheduledTask[] => [
  {
    name: 'expired sessions',
    intervalMs: MINUTE_MS,
    run: async () => ((await deleteExpiredSessions(db)) ? { runAgainInMs: 0 } : undefined),
  },
  createItemTask(db, {
    name: 'old activity',
    intervalMs: 60 * MINUTE_MS,
    async listItems() {
      const siteIds = await listSitesWithOldActivity(db, ACTIVITY_LOG_RETENTION_DAYS);
      return siteIds.map((siteId) => ({ siteId, item: '' }));
    },
    runStep: ({ siteId }) => deleteOldActivity(db, siteId, ACTIVITY_LOG_RETENTION_DAYS),
  }),
];
