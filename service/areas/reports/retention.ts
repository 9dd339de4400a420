import { change, createHostActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { REPORT_LIMITS } from './generate.ts';
import * as store from './runs.store.ts';

const HOUR_MS = 3_600_000;

/**
 * Scheduled task that lets the files of all but the newest reports of a site expire, and deletes the values of reports whose file was
 * removed (areas/jobs removes expired files).
 */
export const createReportRetentionTask = ({ db }: { db: Db }): ScheduledTask =>
  createItemTask(db, {
    name: 'report retention',
    intervalMs: HOUR_MS,
    async listItems() {
      const sites = new Set([
        ...(await store.listSitesBeyond(db, REPORT_LIMITS.keptRuns)),
        ...(await store.listSitesWithLeftValues(db)),
      ]);
      return [...sites].map((siteId) => ({ siteId, item: '' }));
    },
    async runStep({ siteId }) {
      await change(db, createHostActor(siteId), async (tx, record) => {
        const expired = await store.expireOldFiles(tx, siteId, REPORT_LIMITS.keptRuns);
        if (expired > 0)
          record({
            action: 'report.expire',
            subject: ['site', siteId],
            changes: { reports: [null, expired] },
          });
      });
      await store.deleteValuesWithoutFile(db, siteId);
      return false;
    },
  });
