import { type RawBuilder, sql } from 'kysely';
import { mayAct } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

type Status = 'Queued' | 'Running' | 'Ready' | 'Failed';
export type Reason = 'cancelled' | 'disk-full' | 'interrupted' | 'error';

/** A backup as it is told. */
export interface StoredBackup {
  id: number;
  fileName: string;
  storageId: string;
  status: Status;
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
  failureReason: Reason | null;
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

const select = (db: Db, where: RawBuilder<unknown>) =>
  sql<StoredBackup>`select ${COLUMNS} from backup b left join account a on a.user_id = b.requested_by
    where b.deleted_at is null and ${where} order by b.backup_id desc`.execute(db);

/** Every backup of a site, newest first. */
export async function listBackups(db: Db, siteId: number): Promise<StoredBackup[]> {
  const { rows } = await select(db, sql`b.site_id = ${siteId}`);
  return rows;
}

/** The backup with this name. The name is compared, and nothing else is ever done with it (T10). */
export async function findBackup(
  db: Db,
  siteId: number,
  fileName: string,
): Promise<StoredBackup | undefined> {
  const { rows } = await select(db, sql`b.site_id = ${siteId} and b.file_name = ${fileName}`);
  return rows[0];
}

/** The same, held until the transaction ends. */
export async function lockBackup(
  tx: Tx,
  siteId: number,
  fileName: string,
): Promise<StoredBackup | undefined> {
  await sql`select 1 from backup where site_id = ${siteId} and file_name = ${fileName} for update`.execute(
    tx,
  );
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

/** Queues a backup; undefined while another one of the site is queued or running. */
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

/** How many backups of the site, deleted ones too, have a name that begins so. */
export async function countNames(tx: Tx, siteId: number, stem: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from backup where site_id = ${siteId} and starts_with(file_name, ${stem})`.execute(
    tx,
  );
  return rows[0]?.n ?? 0;
}

/** The time of the database, by which everything is decided. */
export async function clock(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

/** How long a process may be silent about what it makes: it says something every second. */
const LEASE = sql`now() + interval '15 seconds'`;

export interface Claimed {
  id: number;
  siteId: number;
  fileName: string;
  storageId: string;
  typeIds: number[] | null;
  includesFiles: boolean;
}

/** Takes one that is queued; of several processes one gets it. */
export async function claim(db: Db, holder: string): Promise<Claimed | undefined> {
  const { rows } = await sql<Claimed>`
    with due as (select site_id, backup_id from backup where status = 'Queued' order by backup_id limit 1
      for update skip locked)
    update backup b set status = 'Running', started_at = now(), holder = ${holder}, lease_until = ${LEASE}
    from due where b.site_id = due.site_id and b.backup_id = due.backup_id
    returning b.backup_id as id, b.site_id as "siteId", file_name as "fileName", storage_id::text as "storageId",
      type_ids as "typeIds", includes_files as "includesFiles"`.execute(db);
  return rows[0];
}

const mine = ({ id, siteId }: Pick<Claimed, 'id' | 'siteId'>, holder: string) =>
  sql`site_id = ${siteId} and backup_id = ${id} and status = 'Running' and holder = ${holder}::uuid`;

/** Says how far it is, and that its maker lives; false: it is no longer his, by a cancellation or a lease that ended. */
export async function beat(
  db: Db,
  backup: Claimed,
  holder: string,
  { percent, stage, schemaVersion }: { percent: number; stage: string; schemaVersion: number },
): Promise<boolean> {
  const { rows } = await sql`
    update backup set lease_until = ${LEASE}, progress = ${percent}, stage = ${stage}, schema_version = ${schemaVersion}
    where ${mine(backup, holder)} returning 1`.execute(db);
  return rows.length > 0;
}

/** The backup is there, unless it is no longer its maker's. */
export async function setReady(
  tx: Tx,
  backup: Claimed,
  holder: string,
  made: { size: number; sha256: Buffer; schemaVersion: number; entryTypes: readonly string[] },
): Promise<boolean> {
  const { rows } = await sql`
    update backup set status = 'Ready', progress = 100, stage = null, holder = null, lease_until = null,
      finished_at = clock_timestamp(), size = ${made.size}, sha256 = ${made.sha256},
      schema_version = ${made.schemaVersion}, entry_types = ${[...made.entryTypes]}
    where ${mine(backup, holder)} returning 1`.execute(tx);
  return rows.length > 0;
}

const failed = (reason: Reason, message: string) => sql`status = 'Failed', stage = null, holder = null,
  lease_until = null, finished_at = clock_timestamp(), failure_reason = ${reason}, failure_message = ${message}`;

/** It did not come about, unless it is no longer its maker's. */
export async function setFailed(
  tx: Tx,
  backup: Claimed,
  holder: string,
  { reason, message }: { reason: Reason; message: string },
): Promise<boolean> {
  const { rows } = await sql`
    update backup set ${failed(reason, message)} where ${mine(backup, holder)} returning 1`.execute(tx);
  return rows.length > 0;
}

/** Ends one that is queued or running, whoever makes it. */
export async function cancel(tx: Tx, siteId: number, id: number): Promise<void> {
  await sql`update backup set ${failed('cancelled', 'The backup was cancelled.')}
    where site_id = ${siteId} and backup_id = ${id} and status in ('Queued', 'Running')`.execute(tx);
}

/** Sites with backups whose makers have been silent for too long; this process knows of its own. */
export async function sitesWithLost(db: Db, holder: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct site_id as id from backup where ${lost(holder)}`.execute(db);
  return rows.map(({ id }) => id);
}

const lost = (holder: string) =>
  sql`status = 'Running' and lease_until < now() and holder <> ${holder}::uuid`;

/** Ends those of a site. */
export async function endLost(
  tx: Tx,
  siteId: number,
  holder: string,
  message: string,
): Promise<{ id: number; fileName: string; storageId: string }[]> {
  const { rows } = await sql<{ id: number; fileName: string; storageId: string }>`
    update backup set ${failed('interrupted', message)} where site_id = ${siteId} and ${lost(holder)}
    returning backup_id as id, file_name as "fileName", storage_id::text as "storageId"`.execute(tx);
  return rows;
}

export async function markDeleted(tx: Tx, siteId: number, id: number): Promise<void> {
  await sql`update backup set deleted_at = now() where site_id = ${siteId} and backup_id = ${id}`.execute(tx);
}

/** Storage ids of all backups of the installation whose files are there or come about. */
export async function storageIds(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select storage_id::text as id from backup where status <> 'Failed' and deleted_at is null`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

export interface Recipient {
  email: string;
  firstName: string;
  siteName: string;
}

/**
 * Who is told how it went: whoever asked for that; and where one of the schedule is bad, all who manage backups, for
 * nobody else waits for it.
 */
export async function findRecipients(
  tx: Tx,
  { siteId, id }: Pick<Claimed, 'siteId' | 'id'>,
  isBad: boolean,
): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select a.email, a.first_name as "firstName", s.name as "siteName" from backup b
    join site s on s.site_id = b.site_id
    join membership m on m.site_id = b.site_id and ${mayAct('m')}
    join account a on a.user_id = m.user_id
    where b.site_id = ${siteId} and b.backup_id = ${id}
      and case when b.is_scheduled then ${isBad} and exists (
        select from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
        where gm.site_id = m.site_id and gm.user_id = m.user_id and 'Manage Backups' = any(g.capabilities))
      else b.notify and m.user_id = b.requested_by end
    order by a.user_id limit 100`.execute(tx);
  return rows;
}
