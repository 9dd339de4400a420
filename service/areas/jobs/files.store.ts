import { sql } from 'kysely';
import { toInet } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { JobOwner } from '../../kernel/jobs/jobs.store.ts';

/** Lifetime of a download link. */
export const LINK_MINUTES = 5;

/** The file of a job with what decides who may download it. */
export interface JobFile {
  siteId: number;
  jobId: number;
  fence: number;
  kind: string;
  name: string;
  mediaType: string;
  sha256: Buffer;
  rows: number;
  isRemoved: boolean;
  owner: JobOwner;
}

interface FileRow extends Omit<JobFile, 'owner'> {
  userId: number;
  principalId: number | null;
  reportId: number | null;
  scopes: JobOwner['scopes'];
  isProven: boolean;
  isFederated: boolean;
}

const COLUMNS = sql`f.site_id as "siteId", f.job_id as "jobId", f.fence, j.kind, f.name, f.media_type as "mediaType", f.sha256,
  f.row_count as rows, f.removed_at is not null as "isRemoved", j.owner_id as "userId", j.principal_id as "principalId",
  j.report_id as "reportId", j.scopes, j.is_proven as "isProven", j.is_federated as "isFederated"`;

function toJobFile(row: FileRow): JobFile {
  const { userId, principalId, reportId, scopes, isProven, isFederated, ...file } = row;
  return { ...file, owner: { userId, principalId, reportId, scopes, isProven, isFederated } };
}

/** The file of a job; undefined if it has none. */
export async function findFile(db: Db, siteId: number, jobId: number): Promise<JobFile | undefined> {
  const { rows } = await sql<FileRow>`
    select ${COLUMNS} from job_file f join job j on j.site_id = f.site_id and j.job_id = f.job_id
    where f.site_id = ${siteId} and f.job_id = ${jobId}`.execute(db);
  return rows[0] && toJobFile(rows[0]);
}

/** Creates a download link for the address of the request. @returns its expiry */
export async function insertLink(
  tx: Tx,
  { siteId, jobId }: Pick<JobFile, 'siteId' | 'jobId'>,
  { userId, ip }: { userId: number; ip: string },
  tokenHash: Buffer,
): Promise<Date> {
  // Expired unused links are not downloads.
  await sql`delete from job_file_link where token_hash in (
    select token_hash from job_file_link where started_at is null and expires_at < now()
    order by expires_at limit 100 for update skip locked)`.execute(tx);
  const { expiresAt } = await tx
    .insertInto('job_file_link')
    .values({
      token_hash: tokenHash,
      site_id: siteId,
      job_id: jobId,
      user_id: userId,
      ip: toInet(ip),
      expires_at: sql<Date>`now() + make_interval(mins => ${LINK_MINUTES})`,
    })
    .returning('expires_at as expiresAt')
    .executeTakeFirstOrThrow();
  return expiresAt;
}

export interface FileLink extends JobFile {
  email: string;
  isStarted: boolean;
  /** Whether it is used from the IP address that requested it. */
  isFromSameAddress: boolean;
}

/** Finds an unexpired link and locks it, so that of two concurrent requests only one starts it. */
export async function lockLink(tx: Tx, tokenHash: Buffer, ip: string): Promise<FileLink | undefined> {
  const { rows } = await sql<FileRow & Pick<FileLink, 'email' | 'isStarted' | 'isFromSameAddress'>>`
    select ${COLUMNS}, a.email, l.started_at is not null as "isStarted", coalesce(l.ip = ${toInet(ip)}::inet, false) as "isFromSameAddress"
    from job_file_link l
    join job_file f on f.site_id = l.site_id and f.job_id = l.job_id
    join job j on j.site_id = l.site_id and j.job_id = l.job_id
    join account a on a.user_id = l.user_id
    where l.token_hash = ${tokenHash} and l.expires_at > now() for update of l`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  const { email, isStarted, isFromSameAddress, ...file } = row;
  return { ...toJobFile(file), email, isStarted, isFromSameAddress };
}

/** Turns the link into a download. */
export async function markLinkStarted(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx
    .updateTable('job_file_link')
    .set({ started_at: sql`clock_timestamp()` })
    .where('token_hash', '=', tokenHash)
    .execute();
}

/** Time after a download in which the rest of an interrupted one belongs to it. */
const RESUME_INTERVAL = sql`interval '1 day'`;

/** A download of the file by the user may be continued for a day after it was recorded. @returns whether there is one */
export async function hasDownloaded(
  db: Db,
  { siteId, jobId }: Pick<JobFile, 'siteId' | 'jobId'>,
  userId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from audit_log where site_id = ${siteId} and subject_type = 'job' and subject_id = ${String(jobId)}
      and action in ('job.download', 'report.download') and coalesce(proxy_id, actor_id) = ${userId}
      and at > now() - ${RESUME_INTERVAL} limit 1`.execute(db);
  return rows.length > 0;
}

/** A file on the disk. */
type StoredFile = Pick<JobFile, 'siteId' | 'jobId' | 'fence' | 'name'>;

const selectStored = (db: Db) =>
  db
    .selectFrom('job_file')
    .select(['site_id as siteId', 'job_id as jobId', 'fence', 'name'])
    .where('removed_at', 'is', null);

/** Files of all sites that have not been removed. */
export const listStoredFiles = (db: Db): Promise<StoredFile[]> => selectStored(db).execute();

/** Files whose time is over. */
export const listExpiredFiles = (db: Db): Promise<StoredFile[]> =>
  selectStored(db)
    .where('expires_at', '<', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(1_000)
    .execute();

/** Records that a file is removed. Returns false if another process did. */
export async function markFileRemoved(tx: Tx, { siteId, jobId }: StoredFile): Promise<boolean> {
  const row = await tx
    .updateTable('job_file')
    .set({ removed_at: sql`now()`, size: 0 })
    .where('site_id', '=', siteId)
    .where('job_id', '=', jobId)
    .where('removed_at', 'is', null)
    .returning('job_id')
    .executeTakeFirst();
  return row !== undefined;
}
