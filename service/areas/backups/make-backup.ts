import type { Recorder } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { describeFullDisk, isDiskFull } from '../../kernel/error-code.ts';
import type { FilePlace } from '../../kernel/files/file-folder.ts';
import { defineWorkJobKind, type FinishedWork, type WorkBatch } from '../../kernel/jobs/job-kind.ts';
import { JobStopped } from '../../kernel/jobs/job-owner.ts';
import type { JobKey } from '../../kernel/jobs/jobs.store.ts';
import { formatNumber } from '../../kernel/numbers.ts';
import * as store from './backups.store.ts';
import { type FinishedPart, readFinishedPart } from './file/journal.ts';
import { writeBackup } from './file/write-backup.ts';
import { buildOutcomeMail, queueBackupMails } from './mails.ts';
import {
  buildAttemptName,
  createBackupFolder,
  deleteAttempt,
  getAttemptPaths,
  listAttempts,
  publishBackupFile,
} from './storage.ts';

/** What a backup contains, as the page of its job shows it. */
export interface BackupParameters {
  fileName: string;
  /** API names; undefined for the whole site. */
  entryTypes?: readonly string[] | undefined;
  includesFiles: boolean;
}

/** Entry types that a title names. */
const MAX_NAMES = 3;

/** What was asked: `Back up Company, Contact with their files`. */
export function describeBackup({ entryTypes, includesFiles }: Omit<BackupParameters, 'fileName'>): string {
  if (!entryTypes) return `Back up the whole site${includesFiles ? ' with its files' : ''}`;
  const more = entryTypes.length - MAX_NAMES;
  const names = entryTypes.slice(0, MAX_NAMES).join(', ');
  const others = more > 0 ? ` and ${formatNumber(more)} more entry ${more === 1 ? 'type' : 'types'}` : '';
  return `Back up ${names}${others}${includesFiles ? ' with their files' : ''}`;
}

/** Makes a backup (docs/decisions/0058). `write` is replaced in tests. */
export const defineBackupJob = (write: typeof writeBackup = writeBackup) =>
  defineWorkJobKind<BackupParameters>({
    kind: 'backup',
    operation: 'requestBackup',
    describe: (_context, parameters) => describeBackup(parameters),
    work: (batch) => makeBackup(batch, write),
    async abandon({ tx, record, siteId, jobId, stop, publicUrl }) {
      const failed = await store.saveFailed(tx, { siteId, jobId }, describeEnd(stop));
      if (!failed) return { isMailed: false };
      const { fileName, isScheduled } = failed;
      const subject = ['backup', fileName] as const;
      if (!stop) {
        record({ action: 'backup.cancel', subject, changes: { status: [failed.status, 'Failed'] } });
        return { isMailed: false };
      }
      const isMailed = await mailOutcome(
        tx,
        { ...failed, siteId },
        { publicUrl, failure: stop.message, isAlert: isScheduled },
      );
      record({
        action: 'backup.failed',
        subject,
        changes: { status: [failed.status, 'Failed'], reason: [null, describeEnd(stop).reason] },
      });
      return { isMailed };
    },
  });

export const backupJob = defineBackupJob();

/** How a backup ended whose job was stopped, or cancelled. */
export const describeEnd = (stop: Error | undefined): { reason: store.FailureReason; message: string } => {
  if (!stop) return { reason: 'cancelled', message: 'The backup was cancelled.' };
  return { reason: isDiskFull(stop.cause) ? 'disk-full' : 'error', message: stop.message };
};

/**
 * Writes the file of a backup. It gets its final name when it is complete, and only then its row becomes Ready. What is finished when the
 * service stops or dies, or the job is paused, is kept for the next attempt.
 */
async function makeBackup(
  batch: WorkBatch<BackupParameters>,
  write: typeof writeBackup,
): Promise<FinishedWork> {
  const { db, siteId, jobId, fence, dataDir, blobs, backupSheets, publicUrl, signal, reportProgress } = batch;
  const place = { dataDir, blobs };
  const job = { siteId, jobId };
  const backup = await batch.write((tx) => store.startBackup(tx, job));
  if (!backup) throw new JobStopped('The backup was deleted');
  await createBackupFolder(place);
  const attempt = buildAttemptName(backup.storageId, fence);
  const earlier = (await listAttempts(place, backup.storageId)).filter((name) => name !== attempt);
  const finished = await findFinishedPart(place, earlier);
  const deleteEarlier = async () => {
    for (const name of earlier) await deleteAttempt(place, name);
  };
  if (!finished) await deleteEarlier();
  const paths = getAttemptPaths(place, attempt);
  const scope = { siteId, typeIds: backup.typeIds, includesFiles: backup.includesFiles };
  let bytesWritten = 0;
  try {
    const { size, sha256, manifest } = await write(db, scope, {
      blobs,
      sheets: backupSheets,
      path: paths.archive,
      journal: paths.journal,
      finished,
      signal,
      onProgress({ percent, stage, bytes }) {
        bytesWritten = bytes;
        reportProgress({ done: percent, total: 100, stage });
      },
      async onSheets(schemaVersion) {
        await batch.write((tx) => store.saveSchemaVersion(tx, job, schemaVersion));
        await deleteEarlier();
      },
    });
    signal.throwIfAborted();
    await publishBackupFile(place, attempt, { size, sha256 });
    const { schemaVersion, entryTypes } = manifest;
    const result = { storageId: attempt, size, sha256, schemaVersion, entryTypes };
    return {
      summary: `${backup.fileName}, ${formatNumber(size)} bytes`,
      save: (tx, record) => saveReady(tx, record, { backup, job, result, publicUrl }),
      async discard() {
        if ((await store.findStatus(db, job)) !== 'Ready') await deleteAttempt(place, attempt);
      },
    };
  } catch (error) {
    if (!(await isContinued(db, job, signal))) await deleteAttempt(place, attempt);
    if (isDiskFull(error)) throw new JobStopped(describeFullDisk(bytesWritten), { cause: error });
    throw error;
  }
}

/** Whether another attempt follows that can use what this one has finished. */
async function isContinued(db: Db, job: JobKey, signal: AbortSignal): Promise<boolean> {
  if (!signal.aborted || signal.reason instanceof JobStopped) return false;
  const status = await store.findStatus(db, job).catch(() => 'Running');
  return status === 'Queued' || status === 'Running';
}

/** The latest attempt on this disk that can be continued. */
async function findFinishedPart(
  place: FilePlace,
  attempts: readonly string[],
): Promise<FinishedPart | undefined> {
  for (const attempt of attempts) {
    const finished = await readFinishedPart(getAttemptPaths(place, attempt));
    if (finished) return finished;
  }
  return undefined;
}

interface ReadyBackup {
  backup: store.PendingBackup;
  job: JobKey;
  result: Parameters<typeof store.saveReady>[2];
  publicUrl: string;
}

async function saveReady(
  tx: Tx,
  record: Recorder,
  { backup, job, result, publicUrl }: ReadyBackup,
): Promise<{ isMailed: boolean }> {
  if (!(await store.saveReady(tx, job, result))) throw new JobStopped('The backup was deleted');
  const isMailed = await mailOutcome(tx, backup, { publicUrl, failure: undefined, isAlert: false });
  const { size, sha256 } = result;
  record({
    action: 'backup.ready',
    subject: ['backup', backup.fileName],
    changes: { status: ['Running', 'Ready'], size: [null, size], sha256: [null, sha256.toString('hex')] },
  });
  return { isMailed };
}

/** Queues mails about the outcome for its recipients. @returns whether there are any */
function mailOutcome(
  tx: Tx,
  backup: Pick<store.PendingBackup, 'id' | 'siteId' | 'fileName'>,
  { publicUrl, failure, isAlert }: { publicUrl: string; failure: string | undefined; isAlert: boolean },
): Promise<boolean> {
  const link = `${publicUrl}/backups`;
  return queueBackupMails(tx, backup, { failure, isAlert }, (to) =>
    buildOutcomeMail({ ...to, fileName: backup.fileName, failure, link }),
  );
}
