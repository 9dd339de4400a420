import { change, hostActor } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { loadSchema } from '../schema/index.ts';
import { queueBackup } from './request.ts';
import { discard } from './storage.ts';
import { clock } from './store.ts';
import * as store from './settings.store.ts';

/**
 * The last day on the site whose hour has come. Where the clock is put forward over the hour, it comes when the gap
 * ends; where it comes twice, the first of the two counts.
 */
export function dueDay(now: Date, hour: number, timeZone: string): string {
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const today = here.toPlainDate();
  const moment = today.toZonedDateTime({ timeZone, plainTime: new Temporal.PlainTime(hour) });
  const isDue = Temporal.ZonedDateTime.compare(here, moment) >= 0;
  return (isDue ? today : today.subtract({ days: 1 })).toString();
}

/**
 * Queues the daily backups whose hour has come: once for each day, whichever process is first, and after any length of
 * time without a service one. Where another backup is on its way the day waits for it.
 */
export async function queueDue(db: Db): Promise<boolean> {
  const now = await clock(db);
  let queued = false;
  for (const site of await store.plannedSites(db)) {
    const day = dueDay(now, site.hour, site.timeZone);
    if (site.lastDay !== null && site.lastDay >= day) continue;
    // oxlint-disable-next-line no-await-in-loop -- one site after the other
    queued = (await queueOn(db, site, day)) || queued;
  }
  return queued;
}

/** Rolls the day back. */
class Busy extends Error {}

async function queueOn(db: Db, { siteId, includeFiles }: store.Planned, day: string): Promise<boolean> {
  const schema = await loadSchema(db, siteId);
  const wanted = {
    siteId,
    typeIds: null,
    entryTypes: schema.types.map(({ apiName }) => apiName),
    includesFiles: includeFiles,
    notify: false,
    isScheduled: true,
    requestedBy: null,
  };
  try {
    return await change(db, hostActor(siteId), async (tx, record) => {
      if (!(await store.takeDay(tx, siteId, day))) return false;
      if ((await queueBackup(tx, wanted, record)) === undefined) throw new Busy();
      return true;
    });
  } catch (error) {
    if (error instanceof Busy) return false;
    throw error;
  }
}

/** Deletes scheduled backups that were kept as long as their site wants. */
export async function dropOld({
  db,
  services,
}: {
  db: Db;
  services: Pick<Services, 'dataDir'>;
}): Promise<void> {
  for (const old of await store.oldBackups(db)) {
    // oxlint-disable-next-line no-await-in-loop -- a few a day
    const isDropped = await change(db, hostActor(old.siteId), async (tx, record) => {
      if (!(await store.dropBackup(tx, old))) return false;
      record({
        action: 'backup.delete',
        subject: ['backup', old.fileName],
        changes: { reason: [null, 'kept long enough'] },
      });
      return true;
    });
    // oxlint-disable-next-line no-await-in-loop
    if (isDropped) await discard(services.dataDir, old.storageId);
  }
}
