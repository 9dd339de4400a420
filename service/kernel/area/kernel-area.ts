import { EVENT_RETENTION_DAYS } from '../../../contract/rules/events.ts';
import { listSitesWithOldAuditRows } from '../audit/audit-log.store.ts';
import { deleteOldAuditRows } from '../audit/chain.store.ts';
import { sealAuditRows, sealSite } from '../audit/chain.ts';
import { deleteEndedWindows } from '../auth/throttle.store.ts';
import type { Db } from '../db/database.ts';
import {
  addPartitions,
  dropOldPartitions,
  isLocked,
  PARTITIONED_TABLES,
  type PartitionedTable,
} from '../db/partitions.ts';
import { KERNEL_MAIL_EXAMPLES } from '../mail/examples.ts';
import { deleteOldMails, MAIL_RETENTION_DAYS } from '../mail/mail.store.ts';
import { deleteExpiredEventsTask } from '../outbox/delete-expired-events.ts';
import { createItemTask } from '../tasks/run-in-turns.ts';
import type { ScheduledTask } from '../tasks/scheduled-tasks.ts';
import { defineArea, type TaskContext } from './area.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Scheduled task that deletes the counters of rate limits whose windows have ended. */
const createRateLimitCleanupTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'ended rate limits',
  intervalMs: HOUR_MS,
  run: async () => ((await deleteEndedWindows(db)) ? { runAgainInMs: 0 } : undefined),
});

/** Scheduled task that deletes old mails: recipients and subjects are personal data. */
const createMailRetentionTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'old mails',
  intervalMs: HOUR_MS,
  run: async () => ((await deleteOldMails(db)) ? { runAgainInMs: 0 } : undefined),
});

/** Scheduled task that deletes audit rows older than the setting, in pieces, the sites in turns. */
const createAuditRetentionTask = ({ db, services: { logRetention } }: TaskContext): ScheduledTask => {
  const { auditDays } = logRetention;
  return createItemTask(db, {
    name: 'old audit rows',
    intervalMs: HOUR_MS,
    async listItems() {
      if (auditDays === null) return [];
      return (await listSitesWithOldAuditRows(db, auditDays)).map((siteId) => ({ siteId, item: '' }));
    },
    runStep: ({ siteId }) => deleteOldAuditRows(db, siteId, auditDays ?? Infinity),
  });
};

/** Rows without a seal can be changed unnoticed for this long, and for as long as the pass takes. */
const SEAL_INTERVAL_MS = 30_000;

/**
 * Scheduled task that seals the audit rows that were committed since its last run, those of all sites together. A site that fails is left
 * out and tried on its own.
 */
const createSealTask = ({ db }: TaskContext): ScheduledTask =>
  createItemTask(db, {
    name: 'seals of the audit log',
    intervalMs: SEAL_INTERVAL_MS,
    listItems: async (signal) =>
      (await sealAuditRows(db, { signal })).map((siteId) => ({ siteId, item: '' })),
    runStep: ({ siteId }) => sealSite(db, siteId),
  });

/**
 * Scheduled task that makes the partitions of the coming months and drops those that retention has passed (docs/decisions/0087, 0095),
 * each table on its own. A table that is in use by a long transaction is left for the next run: months are made far ahead, and an empty
 * partition harms nobody. Several processes may run it at the same time. Does nothing on the embedded database.
 */
const createPartitionTask = ({ db, services: { logRetention } }: TaskContext): ScheduledTask => {
  const keptDays: Record<PartitionedTable, number | null> = {
    activity: logRetention.activityDays,
    audit_log: logRetention.auditDays,
    topic_event: EVENT_RETENTION_DAYS,
  };
  return {
    name: 'partitions of logs',
    intervalMs: HOUR_MS,
    async run(signal) {
      const errors: unknown[] = [];
      for (const table of PARTITIONED_TABLES) {
        if (signal?.aborted) return;
        const days = keptDays[table];
        try {
          await addPartitions(db, table);
          if (days !== null) await dropOldPartitions(db, table, new Date(Date.now() - days * DAY_MS));
        } catch (error) {
          if (!isLocked(error)) errors.push(error);
        }
      }
      // No items that are parked: rows of a month without a partition could not be stored.
      if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
    },
  };
};

/** The tables and tasks of the kernel: sessions, links, audit log, outbox, mail, limits. */
export const kernelArea = defineArea({
  name: 'kernel',
  tasks: (context) => [
    deleteExpiredEventsTask(context),
    createRateLimitCleanupTask(context),
    createMailRetentionTask(context),
    createAuditRetentionTask(context),
    createSealTask(context),
    createPartitionTask(context),
  ],
  mailExamples: KERNEL_MAIL_EXAMPLES,
  tables: {
    installation_value: { backup: { leftOut: 'belongs to the installation, not to a site' } },
    migration_phase: { backup: { leftOut: 'belongs to the schema of the database' } },
    session: { backup: { leftOut: 'secrets' } },
    one_time_link: { backup: { leftOut: 'secrets' } },
    audit_log: { backup: { leftOut: 'log of the installation' }, retention: '7 years (STEWARD_KEEP_AUDIT)' },
    audit_sealing: { backup: { leftOut: 'log of the installation' } },
    audit_seal: { backup: { leftOut: 'log of the installation' }, retention: 'as long as audit_log' },
    audit_chain: { backup: { leftOut: 'log of the installation' } },
    seat_change: { backup: { leftOut: 'derived from the audit log' } },
    topic: { backup: { leftOut: 'log of the installation' } },
    topic_event: { backup: { leftOut: 'log of the installation' }, retention: '9 days' },
    mail: { backup: { leftOut: 'log of the installation' }, retention: `${MAIL_RETENTION_DAYS} days` },
    task_failure: { backup: { leftOut: 'log of the installation' } },
    service_process: {
      backup: { leftOut: 'belongs to the installation, not to a site' },
      retention: 'an hour after the last heartbeat',
    },
    user_write: { backup: { leftOut: 'only compared by standby reads of the installation' } },
    throttle: { backup: { leftOut: 'counters of the installation' } },
  },
});
