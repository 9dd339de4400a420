import { change, createHostActor, diffProperties, getActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { type Handlers, ok, type Services } from '../../kernel/http/handler.ts';
import { loadSchema } from '../schema/index.ts';
import { getSite } from '../sites/index.ts';
import { loadDatabaseTime } from './backups.store.ts';
import { queueBackup } from './queue-backup.ts';
import * as store from './schedule.store.ts';
import { deleteBackupFiles } from './storage.ts';

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

/**
 * Queues the daily backups that are due: once per day, whichever process is first, and only once after any downtime.
 * While another backup of the site is pending, the day stays due.
 * @returns whether any was queued
 */
export async function queueDueBackups(db: Db): Promise<boolean> {
  const now = await loadDatabaseTime(db);
  let queued = false;
  for (const site of await store.listDailySites(db)) {
    const day = getDueDay(now, site.hour, site.timeZone);
    if (site.lastDay !== null && site.lastDay >= day) continue;
    queued = (await queueDailyBackup(db, site, day)) || queued;
  }
  return queued;
}

/** Rolls back the claimed day. */
class BackupPendingError extends Error {}

async function queueDailyBackup(
  db: Db,
  { siteId, includeFiles }: store.DailySite,
  day: string,
): Promise<boolean> {
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
      if ((await queueBackup(tx, backup, record)) === undefined) throw new BackupPendingError();
      return true;
    });
  } catch (error) {
    if (error instanceof BackupPendingError) return false;
    throw error;
  }
}

/** Deletes scheduled backups that are older than their site's retention. */
export async function deleteExpiredBackups({
  db,
  services,
}: {
  db: Db;
  services: Pick<Services, 'dataDir'>;
}): Promise<void> {
  for (const expired of await store.listExpiredBackups(db)) {
    // A few a day.
    const isDeleted = await change(db, createHostActor(expired.siteId), async (tx, record) => {
      if (!(await store.deleteExpiredBackup(tx, expired))) return false;
      record({
        action: 'backup.delete',
        subject: ['backup', expired.fileName],
        changes: { reason: [null, 'retention period over'] },
      });
      return true;
    });
    if (isDeleted) await deleteBackupFiles(services.dataDir, expired.storageId);
  }
}

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
