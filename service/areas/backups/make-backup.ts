import { change, createHostActor, type Recorder } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { describeFullDisk, isDiskFull } from '../../kernel/disk-full.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import * as store from './backups.store.ts';
import { type Progress, writeBackup } from './file/write-backup.ts';
import { buildOutcomeMail, queueBackupMails } from './mails.ts';
import { createBackupFolder, deleteBackupFiles, getPartialPath, publishBackupFile } from './storage.ts';

/** Interval at which the maker renews its lease, saves the progress, and learns of a cancellation. */
const HEARTBEAT_MS = 1_000;

/** Identifies this process among all that share the database. */
export const LEASE_HOLDER = crypto.randomUUID();

interface MakeContext {
  db: Db;
  services: Pick<Services, 'backupSheets' | 'dataDir' | 'publicUrl' | 'wakeMailWorker'>;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  /** By default this process. */
  holder?: string;
  write?: typeof writeBackup;
}

/** Ends a backup because the service stops, or because the lease was lost. */
class StoppedError extends Error {
  readonly isServiceStop: boolean;

  constructor(isServiceStop: boolean) {
    super(isServiceStop ? 'The service was stopped.' : 'Another process has taken over the backup');
    this.isServiceStop = isServiceStop;
  }
}

/**
 * Makes the next queued backup. A partial file is never left or listed: the file gets its final name when it is
 * complete, and only then its row becomes Ready.
 * @returns false when none is queued
 */
export async function makeNextBackup(context: MakeContext): Promise<boolean> {
  const holder = context.holder ?? LEASE_HOLDER;
  const backup = await store.claimBackup(context.db, holder);
  if (!backup) return false;
  const isReady = await makeBackup(context, backup, holder).catch((error: unknown) =>
    saveFailure(context, backup, holder, error),
  );
  if (!isReady) await deleteBackupFiles(context.services.dataDir, backup.storageId);
  context.services.wakeMailWorker();
  return true;
}

async function makeBackup(
  context: MakeContext,
  backup: store.ClaimedBackup,
  holder: string,
): Promise<boolean> {
  const { db, services, write = writeBackup } = context;
  const { dataDir } = services;
  await createBackupFolder(dataDir);
  const heartbeat = startHeartbeat(context, backup, holder);
  const scope = { siteId: backup.siteId, typeIds: backup.typeIds, includesFiles: backup.includesFiles };
  try {
    const { size, sha256, manifest } = await write(db, scope, {
      dataDir,
      sheets: services.backupSheets,
      path: getPartialPath(dataDir, backup.storageId),
      signal: heartbeat.signal,
      onProgress: heartbeat.onProgress,
    });
    await publishBackupFile(dataDir, backup.storageId);
    return await change(db, createHostActor(backup.siteId), async (tx, record) => {
      const { schemaVersion, entryTypes } = manifest;
      const result = { size, sha256, schemaVersion, entryTypes };
      if (!(await store.saveReady(tx, backup, holder, result))) return false;
      await mailOutcome(tx, backup, services.publicUrl, undefined);
      record({
        action: 'backup.ready',
        subject: ['backup', backup.fileName],
        changes: { status: ['Running', 'Ready'], size: [null, size], sha256: [null, sha256.toString('hex')] },
      });
      return true;
    });
  } catch (error) {
    throw new BackupFailedError(error, heartbeat.bytesWritten());
  } finally {
    heartbeat.stop();
  }
}

/** Failure of a backup with the bytes that were on the disk. */
class BackupFailedError extends Error {
  readonly bytesWritten: number;

  constructor(cause: unknown, bytesWritten: number) {
    super('The backup ended early', { cause });
    this.bytesWritten = bytesWritten;
  }
}

/** Renews the lease of a backup at intervals; the signal aborts when the service stops or the lease is lost. */
function startHeartbeat({ db, signal }: MakeContext, backup: store.ClaimedBackup, holder: string) {
  const controller = new AbortController();
  let lastProgress: Progress = { percent: 0, stage: 'Starting', schemaVersion: 0, bytes: 0 };
  let isRenewing = false;
  const stop = () => controller.abort(new StoppedError(true));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const timer = setInterval(() => {
    if (isRenewing) return;
    isRenewing = true;
    // On the embedded database this waits for the snapshot transaction and times out, which is harmless: the lease only
    // protects against other processes.
    store
      .renewLease(db, backup, holder, lastProgress)
      .then((isOurs) => isOurs || controller.abort(new StoppedError(false)))
      .catch(() => undefined)
      .finally(() => (isRenewing = false));
  }, HEARTBEAT_MS);
  return {
    signal: controller.signal,
    onProgress: (progress: Progress) => (lastProgress = progress),
    bytesWritten: () => lastProgress.bytes,
    stop: () => {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
    },
  };
}

function describeFailure(error: unknown): { reason: store.FailureReason; message: string } {
  const { cause, bytesWritten } =
    error instanceof BackupFailedError ? error : { cause: error, bytesWritten: 0 };
  if (isDiskFull(cause)) return { reason: 'disk-full', message: describeFullDisk(bytesWritten) };
  if (cause instanceof StoppedError) return { reason: 'interrupted', message: cause.message };
  const text = cause instanceof Error ? cause.message : 'Unknown error';
  return { reason: 'error', message: `The backup could not be written: ${text.slice(0, 500)}` };
}

/** Saves the failure; nothing when the backup was cancelled or taken over in the meantime. */
async function saveFailure(
  { db, services }: MakeContext,
  backup: store.ClaimedBackup,
  holder: string,
  error: unknown,
): Promise<false> {
  const failure = describeFailure(error);
  await change(db, createHostActor(backup.siteId), async (tx, record) => {
    if (!(await store.saveFailed(tx, backup, holder, failure))) return;
    await mailOutcome(tx, backup, services.publicUrl, failure.message);
    record({
      action: 'backup.failed',
      subject: ['backup', backup.fileName],
      changes: { status: ['Running', 'Failed'], reason: [null, failure.reason] },
    });
  });
  return false;
}

/** Queues mails about the outcome for its recipients. */
function mailOutcome(
  tx: Tx,
  backup: Pick<store.ClaimedBackup, 'id' | 'siteId' | 'fileName'>,
  publicUrl: string,
  failure: string | undefined,
): Promise<void> {
  const link = `${publicUrl}/backups`;
  return queueBackupMails(tx, backup, failure, (to) =>
    buildOutcomeMail({ ...to, fileName: backup.fileName, failure, link }),
  );
}

const LOST_MESSAGE = 'The service stopped while it wrote the backup. Its partial file was deleted.';

/**
 * Marks backups of a site as failed when their process has died, in the caller's transaction.
 * @returns storage ids of files to delete
 */
export async function failLostBackupsOfSite(
  tx: Tx,
  siteId: number,
  record: Recorder,
  { publicUrl, holder = LEASE_HOLDER }: { publicUrl: string; holder?: string | undefined },
): Promise<string[]> {
  const lostBackups = await store.failLostBackups(tx, siteId, holder, LOST_MESSAGE);
  for (const backup of lostBackups) {
    await mailOutcome(tx, { ...backup, siteId }, publicUrl, LOST_MESSAGE);
    record({
      action: 'backup.failed',
      subject: ['backup', backup.fileName],
      changes: { status: ['Running', 'Failed'], reason: [null, 'interrupted'] },
    });
  }
  return lostBackups.map(({ storageId }) => storageId);
}

/** Scheduled task that does the same for all sites, and deletes the files. */
export const createLostBackupsTask = (
  { db, services }: { db: Db; services: Pick<Services, 'dataDir' | 'publicUrl' | 'wakeMailWorker'> },
  holder = LEASE_HOLDER,
): ScheduledTask =>
  createItemTask(db, {
    name: 'lost backups',
    intervalMs: 10_000,
    async listItems() {
      const siteIds = await store.listSitesWithLostBackups(db, holder);
      return siteIds.map((siteId) => ({ siteId, item: '' }));
    },
    async runStep({ siteId }) {
      const storageIds = await change(db, createHostActor(siteId), (tx, record) =>
        failLostBackupsOfSite(tx, siteId, record, { publicUrl: services.publicUrl, holder }),
      );
      for (const storageId of storageIds) await deleteBackupFiles(services.dataDir, storageId);
      services.wakeMailWorker();
      return false;
    },
  });
