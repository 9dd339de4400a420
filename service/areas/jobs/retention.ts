import { change, createHostActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { lockStorage } from '../../kernel/files/storage-quota.store.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { getJobFileName, getJobFolder } from '../../kernel/jobs/produce-file.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { listExpiredFiles, listStoredFiles, markFileRemoved } from './files.store.ts';
import * as store from './jobs.store.ts';

/** After this time the items of an ended job lose what was requested and replaced; outcomes and reasons stay for the report. */
export const INPUT_DAYS = 90;
/** After this time ended jobs are deleted. */
const JOB_DAYS = 365;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Scheduled tasks that remove the files of jobs after 7 days, and files that processes left behind when they died. */
export const createJobFileTasks = ({
  db,
  services,
}: {
  db: Db;
  services: Pick<Services, 'dataDir' | 'blobs'>;
}): ScheduledTask[] => [
  createItemTask(db, {
    name: 'expired job files',
    intervalMs: HOUR_MS,
    listItems: async () =>
      (await listExpiredFiles(db)).map((file) => ({ ...file, item: `job ${file.jobId}` })),
    async runStep(file) {
      await change(db, createHostActor(file.siteId), async (tx, record) => {
        await lockStorage(tx, file.siteId);
        if (await markFileRemoved(tx, file))
          record({
            action: 'job.file-removed',
            subject: ['job', file.jobId],
            changes: { file: [file.name, null] },
          });
      });
      await getJobFolder(services).delete(getJobFileName(file));
      return false;
    },
  }),
  {
    name: 'stray job files',
    intervalMs: HOUR_MS,
    async run() {
      const names = new Set((await listStoredFiles(db)).map(getJobFileName));
      await getJobFolder(services).deleteStray((name) => names.has(name));
    },
  },
];

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
      return deleted > 0 || cleared;
    },
  });
}
