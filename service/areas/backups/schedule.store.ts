import { sql } from 'kysely';
import type { BackupSettings } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

const DEFAULT_SETTINGS: BackupSettings = {
  isDaily: false,
  hour: 3,
  keepDays: 30,
  includeFiles: false,
  verify: false,
};

/** Backup schedule of a site; by default it makes no backups. */
export async function readSettings(db: Db, siteId: number): Promise<BackupSettings> {
  const row = await db
    .selectFrom('backup_settings')
    .select([
      'is_daily as isDaily',
      'hour',
      'keep_days as keepDays',
      'include_files as includeFiles',
      'verify',
    ])
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  return row ?? DEFAULT_SETTINGS;
}

/** Locks the schedule of a site until the transaction ends, and creates it if it was never set. */
export async function lockSettings(tx: Tx, siteId: number): Promise<BackupSettings> {
  await tx
    .insertInto('backup_settings')
    .values({ site_id: siteId })
    .onConflict((oc) => oc.doNothing())
    .execute();
  await tx
    .selectFrom('backup_settings')
    .select('site_id')
    .where('site_id', '=', siteId)
    .forUpdate()
    .execute();
  return readSettings(tx, siteId);
}

/**
 * Saves the schedule of a site. `lastDay` is the day that counts as done when the schedule starts; undefined keeps it.
 */
export async function writeSettings(
  tx: Tx,
  siteId: number,
  { isDaily, hour, keepDays, includeFiles, verify }: BackupSettings,
  lastDay: string | undefined,
): Promise<void> {
  await tx
    .updateTable('backup_settings')
    .set({
      is_daily: isDaily,
      hour,
      keep_days: keepDays,
      include_files: includeFiles,
      verify,
      ...(lastDay !== undefined && { last_day: lastDay }),
    })
    .where('site_id', '=', siteId)
    .execute();
}

export interface DailySite {
  siteId: number;
  hour: number;
  timeZone: string;
  lastDay: string | null;
  includeFiles: boolean;
}

/** Sites with daily backups. */
export async function listDailySites(db: Db): Promise<DailySite[]> {
  const { rows } = await sql<DailySite>`
    select s.site_id as "siteId", b.hour, s.time_zone as "timeZone", b.last_day::text as "lastDay",
      b.include_files as "includeFiles"
    from backup_settings b join site s on s.site_id = b.site_id where b.is_daily order by s.site_id`.execute(
    db,
  );
  return rows;
}

/** Claims the backup of a day for this process. @returns false when it is claimed already */
export async function claimDay(tx: Tx, siteId: number, day: string): Promise<boolean> {
  const row = await tx
    .updateTable('backup_settings')
    .set({ last_day: day })
    .where('site_id', '=', siteId)
    .where('is_daily', '=', true)
    .where((eb) => eb.or([eb('last_day', 'is', null), eb('last_day', '<', day)]))
    .returning('site_id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface ExpiredBackup {
  siteId: number;
  id: number;
  fileName: string;
  storageId: string;
}

/** Scheduled backups beyond their site's retention, except the newest ready one and pending ones. */
export async function listExpiredBackups(db: Db): Promise<ExpiredBackup[]> {
  const { rows } = await sql<ExpiredBackup>`
    select b.site_id as "siteId", b.backup_id as id, b.file_name as "fileName", b.storage_id as "storageId"
    from backup b join backup_settings s on s.site_id = b.site_id
    where b.is_scheduled and b.deleted_at is null and b.status in ('Ready', 'Failed')
      and b.created_at < now() - make_interval(days => s.keep_days)
      and b.backup_id <> coalesce((select max(n.backup_id) from backup n
        where n.site_id = b.site_id and n.is_scheduled and n.status = 'Ready' and n.deleted_at is null), 0)
    order by b.backup_id limit 100`.execute(db);
  return rows;
}

/** Marks an expired backup as deleted. @returns false when another process did */
export async function deleteExpiredBackup(
  tx: Tx,
  { siteId, id }: Pick<ExpiredBackup, 'siteId' | 'id'>,
): Promise<boolean> {
  const row = await tx
    .updateTable('backup')
    .set({ deleted_at: sql`now()` })
    .where('site_id', '=', siteId)
    .where('backup_id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Queues the verification of the newest scheduled backup of each site that wants it, if it was never verified. @returns
 * their number
 */
export async function queueNewestForVerification(db: Db): Promise<number> {
  const { rows } = await sql`
    update backup b set verify_state = 'queued', verify_at = now(), verify_message = null
    from backup_settings s
    where s.site_id = b.site_id and s.verify and b.verify_state is null and b.deleted_at is null
      and b.backup_id = (select max(n.backup_id) from backup n
        where n.site_id = b.site_id and n.is_scheduled and n.status = 'Ready' and n.deleted_at is null)
    returning 1`.execute(db);
  return rows.length;
}
