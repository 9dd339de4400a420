import type { Db } from '../../kernel/db/database.ts';
import { createItemTask } from '../../kernel/jobs/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/jobs/scheduled-tasks.ts';
import * as store from './jobs.store.ts';

/** After this time the items of an ended job lose what was requested and replaced; outcomes and reasons stay for the report. */
export const INPUT_DAYS = 90;
/** After this time ended jobs are deleted. */
const JOB_DAYS = 365;
const DAY_MS = 86_400_000;

/** Scheduled task that deletes ended jobs after a year, and what their items requested after 90 days. */
export function createJobRetentionTask({ db }: { db: Db }): ScheduledTask {
  return createItemTask(db, {
    name: 'job retention',
    intervalMs: DAY_MS,
    listItems: async () =>
      (await store.listSitesOfEndedJobs(db, INPUT_DAYS)).map((siteId) => ({ siteId, item: '' })),
    async runStep({ siteId }) {
      const deleted = await store.deleteEndedJobs(db, siteId, JOB_DAYS);
      const cleared = await store.clearInputs(db, siteId, INPUT_DAYS);
      return deleted + cleared > 0;
    },
  });
}
