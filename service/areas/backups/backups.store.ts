import { type RawBuilder, sql } from 'kysely';
import { buildCanAct } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { JobKey } from '../../kernel/jobs/jobs.store.ts';

type BackupStatus = 'Queued' | 'Running' | 'Ready' | 'Failed';
export type FailureReason = 'cancelled' | 'disk-full' | 'interrupted' | 'error';

/** Backup with the e-mail address of its requester. */
export interface StoredBackup {
  id: number;
  fileName: string;
  storageId: string;
  status: BackupStatus;
  isWholeSite: boolean;
  entryTypes: string[];
  includesFiles: boolean;
  isScheduled: boolean;
  requestedBy: number | null;
  requestedByEmail: string | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  progress: number;
  stage: string | null;
  jobId: number | null;
  size: number | null;
  sha256: Buffer | null;
  schemaVersion: number | null;
  failureReason: FailureReason | null;
  failureMessage: string | null;
  verifyState: 'queued' | 'running' | 'passed' | 'failed' | null;
  verifyAt: Date | null;
  verifyMessage: string | null;
}

const COLUMNS = sql`b.backup_id as id, b.file_name as "fileName", b.storage_id as "storageId", b.status,
  b.type_ids is null as "isWholeSite", b.entry_types as "entryTypes", b.includes_files as "includesFiles", b.is_scheduled as "isScheduled",
  b.requested_by as "requestedBy", a.email as "requestedByEmail", b.created_at as "createdAt",
  b.started_at as "startedAt", b.finished_at as "finishedAt", b.job_id as "jobId", b.size, b.sha256,
  case b.status when 'Ready' then 100 else coalesce(j.done, 0) end as progress,
  case when b.status = 'Running' then case j.state when 'paused' then 'Paused' else j.stage end end as stage,
  b.schema_version as "schemaVersion", b.failure_reason as "failureReason", b.failure_message as "failureMessage",
  b.verify_state as "verifyState", b.verify_at as "verifyAt", b.verify_message as "verifyMessage"`;

const selectBackups = (db: Db, where: RawBuilder<unknown>) =>
  sql<StoredBackup>`select ${COLUMNS} from backup b left join account a on a.user_id = b.requested_by
    left join job j on j.site_id = b.site_id and j.job_id = b.job_id
    where b.deleted_at is null and ${where} order by b.backup_id desc`.execute(db);

/** All backups of a site, newest first. */
export async function listBackups(db: Db, siteId: number): Promise<StoredBackup[]> {
  const { rows } = await selectBackups(db, sql`b.site_id = ${siteId}`);
  return rows;
}

/** Backup with this file name. The name is only compared, never used as a path (T10). */
export async function findBackup(
  db: Db,
  siteId: number,
  fileName: string,
): Promise<StoredBackup | undefined> {
  const { rows } = await selectBackups(db, sql`b.site_id = ${siteId} and b.file_name = ${fileName}`);
  return rows[0];
}

/** Like findBackup, locked until the transaction ends. */
export async function lockBackup(
  tx: Tx,
  siteId: number,
  fileName: string,
): Promise<StoredBackup | undefined> {
  await tx
    .selectFrom('backup')
    .select('backup_id')
    .where('site_id', '=', siteId)
    .where('file_name', '=', fileName)
    .forUpdate()
    .execute();
  return findBackup(tx, siteId, fileName);
}

export interface NewBackup {
  siteId: number;
  fileName: string;
  typeIds: readonly number[] | null;
  entryTypes: readonly string[];
  includesFiles: boolean;
  notify: boolean;
  isScheduled: boolean;
  requestedBy: number | null;
}

/** Stores which job makes a backup. */
export async function setJob(tx: Tx, siteId: number, id: number, jobId: number): Promise<void> {
  await sql`update backup set job_id = ${jobId} where site_id = ${siteId} and backup_id = ${id}`.execute(tx);
}

/** Queues a backup. @returns its id; undefined while another one of the site is queued or running */
export async function insertBackup(tx: Tx, backup: NewBackup): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into backup (site_id, file_name, type_ids, entry_types, includes_files, notify, is_scheduled, requested_by)
    values (${backup.siteId}, ${backup.fileName}, ${backup.typeIds && [...backup.typeIds]}, ${[...backup.entryTypes]},
      ${backup.includesFiles}, ${backup.notify}, ${backup.isScheduled}, ${backup.requestedBy})
    on conflict (site_id) where status in ('Queued', 'Running') do nothing returning backup_id as id`.execute(
    tx,
  );
  return rows[0]?.id;
}

/** Number of backups of the site, deleted ones included, whose file name starts with `stem`. */
export async function countFileNames(tx: Tx, siteId: number, stem: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from backup where site_id = ${siteId} and starts_with(file_name, ${stem})`.execute(
    tx,
  );
  return rows[0]?.n ?? 0;
}

/** Time of the database, which decides what is due. */
export async function loadDatabaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

/** A backup that a job makes. */
export interface PendingBackup {
  id: number;
  siteId: number;
  fileName: string;
  storageId: string;
  typeIds: number[] | null;
  includesFiles: boolean;
}

/** SQL condition: the backup of the job has not ended. */
const isPendingOf = ({ siteId, jobId }: JobKey) =>
  sql<boolean>`site_id = ${siteId} and job_id = ${jobId} and status in ('Queued', 'Running')`;

/** Marks the backup of a job as running. @returns undefined when it was cancelled or deleted */
export async function startBackup(tx: Tx, job: JobKey): Promise<PendingBackup | undefined> {
  const { rows } = await sql<PendingBackup>`
    update backup set status = 'Running', started_at = coalesce(started_at, now()) where ${isPendingOf(job)}
    returning backup_id as id, site_id as "siteId", file_name as "fileName", storage_id as "storageId",
      type_ids as "typeIds", includes_files as "includesFiles"`.execute(tx);
  return rows[0];
}

/** Stores the version of the schema once the snapshot has been taken. */
export async function saveSchemaVersion(tx: Tx, job: JobKey, schemaVersion: number): Promise<void> {
  await sql`update backup set schema_version = ${schemaVersion} where ${isPendingOf(job)}`.execute(tx);
}

/** Status of the backup of a job; undefined when it was deleted. */
export async function findStatus(db: Db, { siteId, jobId }: JobKey): Promise<BackupStatus | undefined> {
  const row = await db
    .selectFrom('backup')
    .select('status')
    .where('site_id', '=', siteId)
    .where('job_id', '=', jobId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.status;
}

/** Marks the backup of a job as ready. @returns false when it was cancelled or deleted */
export async function saveReady(
  tx: Tx,
  job: JobKey,
  result: {
    storageId: string;
    size: number;
    sha256: Buffer;
    schemaVersion: number;
    entryTypes: readonly string[];
  },
): Promise<boolean> {
  const row = await tx
    .updateTable('backup')
    .set({
      status: 'Ready',
      finished_at: sql<Date>`clock_timestamp()`,
      storage_id: result.storageId,
      size: result.size,
      sha256: result.sha256,
      schema_version: result.schemaVersion,
      entry_types: [...result.entryTypes],
    })
    .where(isPendingOf(job))
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A backup that has just failed. */
export interface FailedBackup {
  id: number;
  fileName: string;
  isScheduled: boolean;
  /** Status before. */
  status: BackupStatus;
}

/** Marks the backup of a job as failed. @returns undefined when it has ended */
export async function saveFailed(
  tx: Tx,
  job: JobKey,
  { reason, message }: { reason: FailureReason; message: string },
): Promise<FailedBackup | undefined> {
  const { rows } = await sql<FailedBackup>`
    with pending as (select site_id, backup_id, status from backup where ${isPendingOf(job)} for update)
    update backup b set status = 'Failed', finished_at = clock_timestamp(), failure_reason = ${reason}, failure_message = ${message}
    from pending p where b.site_id = p.site_id and b.backup_id = p.backup_id
    returning b.backup_id as id, b.file_name as "fileName", b.is_scheduled as "isScheduled", p.status`.execute(
    tx,
  );
  return rows[0];
}

export async function markDeleted(tx: Tx, siteId: number, id: number): Promise<void> {
  await tx
    .updateTable('backup')
    .set({ deleted_at: sql`now()` })
    .where('site_id', '=', siteId)
    .where('backup_id', '=', id)
    .execute();
}

/** Names of the files of all backups of the installation that have one, and ids of those that are being made. */
export async function listStorageIds(db: Db): Promise<Set<string>> {
  const rows = await db
    .selectFrom('backup')
    .select('storage_id')
    .where('status', '!=', 'Failed')
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(rows.map(({ storage_id: storageId }) => storageId));
}

export interface Recipient {
  userId: number;
  email: string;
  firstName: string;
  siteName: string;
}

/**
 * Recipients of the mail about an outcome: the requester if they asked for it; for a failed scheduled backup all users
 * with Manage Backups, because nobody else would notice.
 */
export async function findRecipients(
  tx: Tx,
  { siteId, id }: Pick<PendingBackup, 'siteId' | 'id'>,
  isFailure: boolean,
): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select a.user_id as "userId", a.email, a.first_name as "firstName", s.name as "siteName" from backup b
    join site s on s.site_id = b.site_id
    join membership m on m.site_id = b.site_id and ${buildCanAct('m')}
    join account a on a.user_id = m.user_id
    where b.site_id = ${siteId} and b.backup_id = ${id}
      and case when b.is_scheduled then ${isFailure} and exists (
        select from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
        where gm.site_id = m.site_id and gm.user_id = m.user_id and 'Manage Backups' = any(g.capabilities))
      else b.notify and m.user_id = b.requested_by end
    order by a.user_id limit 100`.execute(tx);
  return rows;
}
