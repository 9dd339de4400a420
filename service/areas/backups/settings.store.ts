import { sql } from 'kysely';
import type { BackupSettings } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

const USUAL: BackupSettings = { isDaily: false, hour: 3, keepDays: 30, includeFiles: false, verify: false };

/** The schedule of a site; one that was never set makes no backups. */
export async function readSettings(db: Db, siteId: number): Promise<BackupSettings> {
  const { rows } = await sql<BackupSettings>`
    select is_daily as "isDaily", hour, keep_days as "keepDays", include_files as "includeFiles", verify
    from backup_settings where site_id = ${siteId}`.execute(db);
  return rows[0] ?? USUAL;
}

/** Holds the schedule of a site until the transaction ends, whether it was ever set or not. */
export async function lockSettings(tx: Tx, siteId: number): Promise<BackupSettings> {
  await sql`insert into backup_settings (site_id) values (${siteId}) on conflict do nothing`.execute(tx);
  await sql`select 1 from backup_settings where site_id = ${siteId} for update`.execute(tx);
  return readSettings(tx, siteId);
}

/** `lastDay`: the day that counts as done, where the schedule begins. */
export async function writeSettings(
  tx: Tx,
  siteId: number,
  { isDaily, hour, keepDays, includeFiles, verify }: BackupSettings,
  lastDay: string | undefined,
): Promise<void> {
  await sql`update backup_settings set is_daily = ${isDaily}, hour = ${hour}, keep_days = ${keepDays},
      include_files = ${includeFiles}, verify = ${verify}, last_day = coalesce(${lastDay ?? null}::date, last_day)
    where site_id = ${siteId}`.execute(tx);
}

export interface Planned {
  siteId: number;
  hour: number;
  timeZone: string;
  lastDay: string | null;
  includeFiles: boolean;
}

/** Sites on which a backup is made every day. */
export async function plannedSites(db: Db): Promise<Planned[]> {
  const { rows } = await sql<Planned>`
    select s.site_id as "siteId", b.hour, s.time_zone as "timeZone", b.last_day::text as "lastDay",
      b.include_files as "includeFiles"
    from backup_settings b join site s on s.site_id = b.site_id where b.is_daily order by s.site_id`.execute(
    db,
  );
  return rows;
}

/** Takes the day for this process; false: another one has it, or it is done. */
export async function takeDay(tx: Tx, siteId: number, day: string): Promise<boolean> {
  const { rows } = await sql`
    update backup_settings set last_day = ${day}::date
    where site_id = ${siteId} and is_daily and (last_day is null or last_day < ${day}::date) returning 1`.execute(
    tx,
  );
  return rows.length > 0;
}

interface Old {
  siteId: number;
  id: number;
  fileName: string;
  storageId: string;
}

/** Scheduled backups that are kept long enough; never the newest that is ready, nor one on its way. */
export async function oldBackups(db: Db): Promise<Old[]> {
  const { rows } = await sql<Old>`
    select b.site_id as "siteId", b.backup_id as id, b.file_name as "fileName", b.storage_id::text as "storageId"
    from backup b join backup_settings s on s.site_id = b.site_id
    where b.is_scheduled and b.deleted_at is null and b.status in ('Ready', 'Failed')
      and b.created_at < now() - make_interval(days => s.keep_days)
      and b.backup_id <> coalesce((select max(n.backup_id) from backup n
        where n.site_id = b.site_id and n.is_scheduled and n.status = 'Ready' and n.deleted_at is null), 0)
    order by b.backup_id limit 100`.execute(db);
  return rows;
}

/** Deletes one that is old, unless somebody was faster. */
export async function dropBackup(tx: Tx, { siteId, id }: Pick<Old, 'siteId' | 'id'>): Promise<boolean> {
  const { rows } = await sql`update backup set deleted_at = now()
    where site_id = ${siteId} and backup_id = ${id} and deleted_at is null returning 1`.execute(tx);
  return rows.length > 0;
}

/** The newest scheduled backup of each site that wants them verified, where nobody has looked at it yet. */
export async function queueNewest(db: Db): Promise<number> {
  const { rows } = await sql`
    update backup b set verify_state = 'queued', verify_at = now(), verify_message = null
    from backup_settings s
    where s.site_id = b.site_id and s.verify and b.verify_state is null and b.deleted_at is null
      and b.backup_id = (select max(n.backup_id) from backup n
        where n.site_id = b.site_id and n.is_scheduled and n.status = 'Ready' and n.deleted_at is null)
    returning 1`.execute(db);
  return rows.length;
}
