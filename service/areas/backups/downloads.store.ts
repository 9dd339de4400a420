import { sql } from 'kysely';
import { addressRefused, inet, mayAct } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** A link holds this long (shapes 3). */
export const LINK_MINUTES = 5;
/** A part of a file that is fetched so soon after another one belongs to the same download. */
const SAME_DOWNLOAD = sql`interval '1 day'`;

interface Who {
  siteId: number;
  userId: number;
  ip: string;
}

/** A link of somebody, for the address from which they ask. */
export async function insertLink(
  tx: Tx,
  backupId: number,
  { siteId, userId, ip }: Who,
  tokenHash: Buffer,
): Promise<Date> {
  // Links that nobody used are nobody's downloads.
  await sql`delete from backup_download where started_at is null and expires_at < now()`.execute(tx);
  const { rows } = await sql<{ expires_at: Date }>`
    insert into backup_download (site_id, backup_id, user_id, ip, token_hash, expires_at)
    values (${siteId}, ${backupId}, ${userId}, ${inet(ip)}::inet, ${tokenHash}, now() + make_interval(mins => ${LINK_MINUTES}))
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('An inserted link is there');
  return row.expires_at;
}

export interface Link {
  downloadId: number;
  siteId: number;
  backupId: number;
  userId: number;
  email: string;
  fileName: string;
  isStarted: boolean;
  /** Whether it is used from the address for which it was made. */
  isHere: boolean;
  /** Whether its owner may still download backups, from where they are. */
  isAllowed: boolean;
}

/** The link while it lives, locked: of two requests at the same moment one starts it. */
export async function lockLink(tx: Tx, tokenHash: Buffer, ip: string): Promise<Link | undefined> {
  await sql`select 1 from backup_download where token_hash = ${tokenHash} for update`.execute(tx);
  const { rows } = await sql<Link>`
    select d.download_id as "downloadId", d.site_id as "siteId", d.backup_id as "backupId", d.user_id as "userId",
      a.email, b.file_name as "fileName", d.started_at is not null as "isStarted",
      coalesce(d.ip = ${inet(ip)}::inet, false) as "isHere",
      (${mayAct('m')} and not ${addressRefused(ip)} and exists (
        select 1 from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
        where gm.site_id = m.site_id and gm.user_id = m.user_id and 'Manage Backups' = any(g.capabilities))) as "isAllowed"
    from backup_download d
    join backup b on b.site_id = d.site_id and b.backup_id = d.backup_id and b.deleted_at is null
    join account a on a.user_id = d.user_id
    join membership m on m.site_id = d.site_id and m.user_id = d.user_id
    where d.token_hash = ${tokenHash} and d.expires_at > now()`.execute(tx);
  return rows[0];
}

/** From now on it is a download. */
export async function startLink(tx: Tx, { siteId, downloadId }: Link): Promise<void> {
  await sql`update backup_download set started_at = clock_timestamp()
    where site_id = ${siteId} and download_id = ${downloadId}`.execute(tx);
}

/** A download of somebody without a link. With `isPart`: goes on with one that they have not finished, where there is one. */
export async function beginDownload(
  tx: Tx,
  backupId: number,
  { siteId, userId, ip }: Who,
  isPart: boolean,
): Promise<{ downloadId: number; isNew: boolean }> {
  const { rows: begun } = await sql<{ id: number }>`
    select download_id as id from backup_download
    where site_id = ${siteId} and backup_id = ${backupId} and user_id = ${userId} and token_hash is null
      and ip is not distinct from ${inet(ip)}::inet and not is_complete and ${isPart}
      and started_at > now() - ${SAME_DOWNLOAD} order by download_id desc limit 1`.execute(tx);
  if (begun[0]) return { downloadId: begun[0].id, isNew: false };
  const { rows } = await sql<{ id: number }>`
    insert into backup_download (site_id, backup_id, user_id, ip, started_at)
    values (${siteId}, ${backupId}, ${userId}, ${inet(ip)}::inet, clock_timestamp()) returning download_id as id`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('An inserted download is there');
  return { downloadId: row.id, isNew: true };
}

/** What was sent of it. */
export async function addSent(
  db: Db,
  { siteId, downloadId }: { siteId: number; downloadId: number },
  { bytes, isLast }: { bytes: number; isLast: boolean },
): Promise<void> {
  await sql`update backup_download set bytes_sent = bytes_sent + ${bytes}, is_complete = is_complete or ${isLast}
    where site_id = ${siteId} and download_id = ${downloadId}`.execute(db);
}

export interface Download {
  startedDate: Date;
  userId: number;
  userName: string;
  fullName: string;
  ipAddress: string | null;
  bytesSent: number;
  isComplete: boolean;
}

/** Downloads of the backup with this name, newest first; undefined: there never was one. */
export async function listDownloads(
  db: Db,
  siteId: number,
  fileName: string,
  limit: number,
): Promise<Download[] | undefined> {
  const { rows: known } = await sql<{ id: number }>`
    select backup_id as id from backup where site_id = ${siteId} and file_name = ${fileName}`.execute(db);
  if (!known[0]) return undefined;
  const { rows } = await sql<Download>`
    select d.started_at as "startedDate", d.user_id as "userId", a.email as "userName",
      concat_ws(' ', a.first_name, a.last_name) as "fullName", host(d.ip) as "ipAddress", d.bytes_sent as "bytesSent",
      d.is_complete as "isComplete"
    from backup_download d join account a on a.user_id = d.user_id
    where d.site_id = ${siteId} and d.backup_id = ${known[0].id} and d.started_at is not null
    order by d.download_id desc limit ${limit}`.execute(db);
  return rows;
}
