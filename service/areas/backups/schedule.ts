import { change, createHostActor, diffProperties, getActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { FilePlace } from '../../kernel/files/file-folder.ts';
import { type Handlers, ok, type Services } from '../../kernel/http/handler.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { loadSchema } from '../schema/index.ts';
import { getSite } from '../sites/index.ts';
import { loadDatabaseTime } from './backups.store.ts';
import { queueBackup } from './queue-backup.ts';
import * as store from './schedule.store.ts';
import { deleteBackupFiles } from './storage.ts';

const MINUTE_MS = 60_000;

/**
 * Last day on the site whose backup hour has passed. A skipped hour counts when the gap ends, of a repeated hour the
 * first one.
 */
export function getDueDay(now: Date, hour: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const today = local.toPlainDate();
  const dueAt = today.toZonedDateTime({ timeZone, plainTime: new Temporal.PlainTime(hour) });
  const isDue = Temporal.ZonedDateTime.compare(local, dueAt) >= 0;
  return (isDue ? today : today.subtract({ days: 1 })).toString();
}

/** A site whose daily backup of a day is due. */
interface DueBackup extends store.DailySite {
  day: string;
}

async function listDueBackups(db: Db): Promise<DueBackup[]> {
  const now = await loadDatabaseTime(db);
  return (await store.listDailySites(db))
    .map((site) => ({ ...site, day: getDueDay(now, site.hour, site.timeZone) }))
    .filter(({ lastDay, day }) => lastDay === null || lastDay < day);
}

/** Rolls back the claimed day. */
class BackupPendingError extends Error {}

/** @returns whether the backup was queued: by this process, and while no other backup of the site is pending */
async function queueDailyBackup(db: Db, { siteId, includeFiles, day }: DueBackup): Promise<boolean> {
  const schema = await loadSchema(db, siteId);
  const backup = {
    siteId,
    typeIds: null,
    entryTypes: schema.types.map(({ apiName }) => apiName),
    includesFiles: includeFiles,
    notify: false,
    isScheduled: true,
    requestedBy: null,
  };
  try {
    return await change(db, createHostActor(siteId), async (tx, record) => {
      if (!(await store.claimDay(tx, siteId, day))) return false;
      if ((await queueBackup(tx, backup, record, undefined)) === undefined) throw new BackupPendingError();
      return true;
    });
  } catch (error) {
    if (error instanceof BackupPendingError) return false;
    throw error;
  }
}

async function deleteExpiredBackup(db: Db, place: FilePlace, expired: store.ExpiredBackup): Promise<void> {
  const isDeleted = await change(db, createHostActor(expired.siteId), async (tx, record) => {
    if (!(await store.deleteExpiredBackup(tx, expired))) return false;
    record({
      action: 'backup.delete',
      subject: ['backup', expired.fileName],
      changes: { reason: [null, 'retention period over'] },
    });
    return true;
  });
  if (isDeleted) await deleteBackupFiles(place, expired.storageId);
}

interface ScheduleContext {
  db: Db;
  services: Pick<Services, 'dataDir' | 'blobs' | 'wakeTask'>;
}

/** Scheduled task that deletes scheduled backups that are older than their site's retention. */
export const createBackupRetentionTask = ({ db, services }: ScheduleContext): ScheduledTask =>
  createItemTask(db, {
    name: 'expired backups',
    intervalMs: MINUTE_MS,
    async listItems() {
      const backups = await store.listExpiredBackups(db);
      return backups.map((backup) => ({ ...backup, item: `backup ${backup.id}` }));
    },
    async runStep(backup) {
      await deleteExpiredBackup(db, services, backup);
      return false;
    },
  });

/**
 * Scheduled task that queues the daily backups that are due: once per day, whichever process is first, and only once after any
 * downtime. While another backup of the site is pending, the day stays due.
 */
export const createBackupScheduleTask = ({ db, services }: ScheduleContext): ScheduledTask =>
  createItemTask(db, {
    name: 'backup schedule',
    intervalMs: MINUTE_MS,
    listItems: async () => (await listDueBackups(db)).map((due) => ({ ...due, item: '' })),
    async runStep(due) {
      if (await queueDailyBackup(db, due)) for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
      return false;
    },
  });

export const backupSettingsHandlers: Handlers<'getBackupSettings' | 'updateBackupSettings'> = {
  async getBackupSettings({ db, caller }) {
    return ok(await store.readSettings(db, caller.siteId));
  },

  async updateBackupSettings(call) {
    const { db, caller, body } = call;
    const { siteId } = caller;
    const after = await change(db, getActor(call), async (tx, record) => {
      const before = await store.lockSettings(tx, siteId);
      const changes = diffProperties({ ...before }, { ...body });
      if (Object.keys(changes).length === 0) return before;
      // The schedule starts with the next occurrence of its hour, not with a day before it was set.
      const startsSchedule = body.isDaily && (!before.isDaily || before.hour !== body.hour);
      const { timeZone } = await getSite(tx, siteId);
      const lastDay = startsSchedule ? getDueDay(await loadDatabaseTime(tx), body.hour, timeZone) : undefined;
      await store.writeSettings(tx, siteId, body, lastDay);
      record({ action: 'backup.settings', subject: ['site', siteId], changes });
      return store.readSettings(tx, siteId);
    });
    return ok(after);
  },
};
