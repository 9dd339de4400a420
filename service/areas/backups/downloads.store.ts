import { sql } from 'kysely';
import { isAddressRefused, toInet, buildCanAct } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Lifetime of a download link (shapes 3). */
export const LINK_MINUTES = 5;
/** Range requests within this interval belong to the same download. */
const RESUME_INTERVAL = sql`interval '1 day'`;

interface Requester {
  siteId: number;
  userId: number;
  ip: string;
}

/** Creates a download link for a user and their IP address. @returns its expiry */
export async function insertLink(
  tx: Tx,
  backupId: number,
  { siteId, userId, ip }: Requester,
  tokenHash: Buffer,
): Promise<Date> {
  // Expired unused links are not downloads.
  await sql`delete from backup_download where (site_id, download_id) in (
    select site_id, download_id from backup_download where started_at is null and expires_at < now()
    order by expires_at limit 100 for update skip locked)`.execute(tx);
  const { expiresAt } = await tx
    .insertInto('backup_download')
    .values({
      site_id: siteId,
      backup_id: backupId,
      user_id: userId,
      ip: toInet(ip),
      token_hash: tokenHash,
      expires_at: sql<Date>`now() + make_interval(mins => ${LINK_MINUTES})`,
    })
    .returning(sql<Date>`expires_at`.as('expiresAt'))
    .executeTakeFirstOrThrow();
  return expiresAt;
}

export interface DownloadLink {
  downloadId: number;
  siteId: number;
  backupId: number;
  userId: number;
  email: string;
  fileName: string;
  isStarted: boolean;
  /** Whether it is used from the IP address that requested it. */
  isFromSameAddress: boolean;
  /** Whether its owner may still download backups, from their current address. */
  isAllowed: boolean;
}

/** Finds an unexpired link and locks it, so that of two concurrent requests only one starts it. */
export async function lockLink(tx: Tx, tokenHash: Buffer, ip: string): Promise<DownloadLink | undefined> {
  await tx
    .selectFrom('backup_download')
    .select('download_id')
    .where('token_hash', '=', tokenHash)
    .forUpdate()
    .execute();
  const { rows } = await sql<DownloadLink>`
    select d.download_id as "downloadId", d.site_id as "siteId", d.backup_id as "backupId", d.user_id as "userId",
      a.email, b.file_name as "fileName", d.started_at is not null as "isStarted",
      coalesce(d.ip = ${toInet(ip)}::inet, false) as "isFromSameAddress",
      (${buildCanAct('m')} and not ${isAddressRefused(ip)} and exists (
        select 1 from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
        where gm.site_id = m.site_id and gm.user_id = m.user_id and 'Manage Backups' = any(g.capabilities))) as "isAllowed"
    from backup_download d
    join backup b on b.site_id = d.site_id and b.backup_id = d.backup_id and b.deleted_at is null
    join account a on a.user_id = d.user_id
    join membership m on m.site_id = d.site_id and m.user_id = d.user_id
    where d.token_hash = ${tokenHash} and d.expires_at > now()`.execute(tx);
  return rows[0];
}

/** Turns the link into a download. */
export async function markLinkStarted(tx: Tx, { siteId, downloadId }: DownloadLink): Promise<void> {
  await tx
    .updateTable('backup_download')
    .set({ started_at: sql`clock_timestamp()` })
    .where('site_id', '=', siteId)
    .where('download_id', '=', downloadId)
    .execute();
}

/** Starts a download without a link. With `isPart` an unfinished download of the user is continued, if there is one. */
export async function startDownload(
  tx: Tx,
  backupId: number,
  { siteId, userId, ip }: Requester,
  isPart: boolean,
): Promise<{ downloadId: number; isNew: boolean }> {
  const { rows: unfinished } = await sql<{ id: number }>`
    select download_id as id from backup_download
    where site_id = ${siteId} and backup_id = ${backupId} and user_id = ${userId} and token_hash is null
      and ip is not distinct from ${toInet(ip)}::inet and not is_complete and ${isPart}
      and started_at > now() - ${RESUME_INTERVAL} order by download_id desc limit 1`.execute(tx);
  if (unfinished[0]) return { downloadId: unfinished[0].id, isNew: false };
  const { downloadId } = await tx
    .insertInto('backup_download')
    .values({
      site_id: siteId,
      backup_id: backupId,
      user_id: userId,
      ip: toInet(ip),
      started_at: sql<Date>`clock_timestamp()`,
    })
    .returning('download_id as downloadId')
    .executeTakeFirstOrThrow();
  return { downloadId, isNew: true };
}

/** Adds to the bytes sent of a download. */
export async function addSentBytes(
  db: Db,
  { siteId, downloadId }: { siteId: number; downloadId: number },
  { bytes, isLast }: { bytes: number; isLast: boolean },
): Promise<void> {
  await db
    .updateTable('backup_download')
    .set({ bytes_sent: sql`bytes_sent + ${bytes}`, ...(isLast && { is_complete: true }) })
    .where('site_id', '=', siteId)
    .where('download_id', '=', downloadId)
    .execute();
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

/** Downloads of the backup with this file name, newest first; undefined when no such backup ever existed. */
export async function listDownloads(
  db: Db,
  siteId: number,
  fileName: string,
  limit: number,
): Promise<Download[] | undefined> {
  const backup = await db
    .selectFrom('backup')
    .select('backup_id as id')
    .where('site_id', '=', siteId)
    .where('file_name', '=', fileName)
    .executeTakeFirst();
  if (!backup) return undefined;
  const { rows } = await sql<Download>`
    select d.started_at as "startedDate", d.user_id as "userId", a.email as "userName",
      concat_ws(' ', a.first_name, a.last_name) as "fullName", host(d.ip) as "ipAddress", d.bytes_sent as "bytesSent",
      d.is_complete as "isComplete"
    from backup_download d join account a on a.user_id = d.user_id
    where d.site_id = ${siteId} and d.backup_id = ${backup.id} and d.started_at is not null
    order by d.download_id desc limit ${limit}`.execute(db);
  return rows;
}

/** Address from which a session was opened; undefined for other tokens. */
export async function findSessionAddress(db: Db, tokenHash: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom('session')
    .select('ip')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row?.ip ?? undefined;
}
