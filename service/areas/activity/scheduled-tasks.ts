import {
  deleteExpiredSessions,
  deleteOldActivity,
  listSitesWithOldActivity,
} from '../../kernel/audit/activity.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';

const MINUTE_MS = 60_000;

/**
 * Age in days after which the activity log is deleted by default, and which its setting cannot go below: the 90 days of the report, the rest of its first day, and a week
 * so that no open page loses its last rows.
 */
export const ACTIVITY_LOG_RETENTION_DAYS = 98;

/** Scheduled tasks that end expired sessions, and delete activity older than the setting (by default than the report) with its counts. */
export const createActivityTasks = ({
  db,
  services: {
    logRetention: { activityDays },
  },
}: {
  db: Db;
  services: Pick<Services, 'logRetention'>;
}): ScheduledTask[] => [
  {
    name: 'expired sessions',
    intervalMs: MINUTE_MS,
    run: async () => ((await deleteExpiredSessions(db)) ? { runAgainInMs: 0 } : undefined),
  },
  createItemTask(db, {
    name: 'old activity',
    intervalMs: 60 * MINUTE_MS,
    async listItems() {
      if (activityDays === null) return [];
      const siteIds = await listSitesWithOldActivity(db, activityDays);
      return siteIds.map((siteId) => ({ siteId, item: '' }));
    },
    runStep: ({ siteId }) => deleteOldActivity(db, siteId, activityDays ?? Infinity),
  }),
];
