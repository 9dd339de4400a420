import { type RawBuilder, sql } from 'kysely';
import { buildCanAct } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

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
  size: number | null;
  sha256: Buffer | null;
  schemaVersion: number | null;
  failureReason: FailureReason | null;
  failureMessage: string | null;
  verifyState: 'queued' | 'running' | 'passed' | 'failed' | null;
  verifyAt: Date | null;
  verifyMessage: string | null;
}

const COLUMNS = sql`b.backup_id as id, b.file_name as "fileName", b.storage_id::text as "storageId", b.status,
  b.type_ids is null as "isWholeSite", b.entry_types as "entryTypes", b.includes_files as "includesFiles", b.is_scheduled as "isScheduled",
  b.requested_by as "requestedBy", a.email as "requestedByEmail", b.created_at as "createdAt",
  b.started_at as "startedAt", b.finished_at as "finishedAt", b.progress, b.stage, b.size, b.sha256,
  b.schema_version as "schemaVersion", b.failure_reason as "failureReason", b.failure_message as "failureMessage",
  b.verify_state as "verifyState", b.verify_at as "verifyAt", b.verify_message as "verifyMessage"`;

const selectBackups = (db: Db, where: RawBuilder<unknown>) =>
  sql<StoredBackup>`select ${COLUMNS} from backup b left join account a on a.user_id = b.requested_by
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

/** End of the lease of a running backup, which is renewed every second. */
const LEASE_END = sql<Date>`now() + interval '15 seconds'`;

export interface ClaimedBackup {
  id: number;
  siteId: number;
  fileName: string;
  storageId: string;
  typeIds: number[] | null;
  includesFiles: boolean;
}

/** Claims the oldest queued backup for one process. */
export async function claimBackup(db: Db, holder: string): Promise<ClaimedBackup | undefined> {
  const { rows } = await sql<ClaimedBackup>`
    with due as (select site_id, backup_id from backup where status = 'Queued' order by backup_id limit 1
      for update skip locked)
    update backup b set status = 'Running', started_at = now(), holder = ${holder}, lease_until = ${LEASE_END}
    from due where b.site_id = due.site_id and b.backup_id = due.backup_id
    returning b.backup_id as id, b.site_id as "siteId", file_name as "fileName", storage_id::text as "storageId",
      type_ids as "typeIds", includes_files as "includesFiles"`.execute(db);
  return rows[0];
}

/** Update of a running backup that `holder` still holds. */
const updateHeld = (db: Db, { id, siteId }: ClaimedBackup, holder: string) =>
  db
    .updateTable('backup')
    .where('site_id', '=', siteId)
    .where('backup_id', '=', id)
    .where('status', '=', 'Running')
    .where('holder', '=', holder);

/** Renews the lease and saves the progress. @returns false when the backup was cancelled or the lease was lost */
export async function renewLease(
  db: Db,
  backup: ClaimedBackup,
  holder: string,
  { percent, stage, schemaVersion }: { percent: number; stage: string; schemaVersion: number },
): Promise<boolean> {
  const row = await updateHeld(db, backup, holder)
    .set({ lease_until: LEASE_END, progress: percent, stage, schema_version: schemaVersion })
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks the backup as ready. @returns false when the lease was lost */
export async function saveReady(
  tx: Tx,
  backup: ClaimedBackup,
  holder: string,
  result: { size: number; sha256: Buffer; schemaVersion: number; entryTypes: readonly string[] },
): Promise<boolean> {
  const row = await updateHeld(tx, backup, holder)
    .set({
      ...ENDED_COLUMNS,
      status: 'Ready',
      progress: 100,
      size: result.size,
      sha256: result.sha256,
      schema_version: result.schemaVersion,
      entry_types: [...result.entryTypes],
    })
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Columns of a backup that is no longer running. */
const ENDED_COLUMNS = {
  stage: null,
  holder: null,
  lease_until: null,
  finished_at: sql<Date>`clock_timestamp()`,
} as const;

const toFailedColumns = (reason: FailureReason, message: string) => ({
  ...ENDED_COLUMNS,
  status: 'Failed' as const,
  failure_reason: reason,
  failure_message: message,
});

/** Marks the backup as failed. @returns false when the lease was lost */
export async function saveFailed(
  tx: Tx,
  backup: ClaimedBackup,
  holder: string,
  { reason, message }: { reason: FailureReason; message: string },
): Promise<boolean> {
  const row = await updateHeld(tx, backup, holder)
    .set(toFailedColumns(reason, message))
    .returning('backup_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Cancels a queued or running backup, whichever process makes it. */
export async function cancelBackup(tx: Tx, siteId: number, id: number): Promise<void> {
  await tx
    .updateTable('backup')
    .set(toFailedColumns('cancelled', 'The backup was cancelled.'))
    .where('site_id', '=', siteId)
    .where('backup_id', '=', id)
    .where('status', 'in', ['Queued', 'Running'])
    .execute();
}

/** Sites with running backups whose lease of another process has expired. */
export async function listSitesWithLostBackups(db: Db, holder: string): Promise<number[]> {
  const rows = await db
    .selectFrom('backup')
    .select('site_id as siteId')
    .distinct()
    .where(isLost(holder))
    .execute();
  return rows.map(({ siteId }) => siteId);
}

const isLost = (holder: string) =>
  sql<boolean>`status = 'Running' and lease_until < now() and holder <> ${holder}::uuid`;

/** Marks the lost backups of a site as failed and returns them. */
export async function failLostBackups(
  tx: Tx,
  siteId: number,
  holder: string,
  message: string,
): Promise<{ id: number; fileName: string; storageId: string }[]> {
  return tx
    .updateTable('backup')
    .set(toFailedColumns('interrupted', message))
    .where('site_id', '=', siteId)
    .where(isLost(holder))
    .returning(['backup_id as id', 'file_name as fileName', 'storage_id as storageId'])
    .execute();
}

export async function markDeleted(tx: Tx, siteId: number, id: number): Promise<void> {
  await tx
    .updateTable('backup')
    .set({ deleted_at: sql`now()` })
    .where('site_id', '=', siteId)
    .where('backup_id', '=', id)
    .execute();
}

/** Storage ids of all backups of the installation that have or will have a file. */
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
  { siteId, id }: Pick<ClaimedBackup, 'siteId' | 'id'>,
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
