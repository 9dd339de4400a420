/** Runs jobs that make a file: written under a temporary name, published with the end of the job. */
import { ApiError } from '../api-error.ts';
import { ACTIVITY_SOURCE, ACTIVITY_TYPE, insertActivity } from '../audit/activity.store.ts';
import { change, getActor } from '../audit/change.ts';
import type { OperationRequirements } from '../auth/authorize.ts';
import type { Caller } from '../auth/caller.ts';
import type { TableSheet } from '../backup-sheets.ts';
import type { Db } from '../db/database.ts';
import { dbErrorCodes, getDbError } from '../db/driver/errors.ts';
import { describeFullDisk, isDiskFull } from '../error-code.ts';
import { createFileFolder, type FileFolder, type FilePlace } from '../files/file-folder.ts';
import { createHashedFile } from '../files/hashed-file.ts';
import { lockStorage, readStorageUse, requireStorage } from '../files/storage-quota.store.ts';
import { notify } from '../notifications.store.ts';
import { formatNumber } from '../numbers.ts';
import type { Log } from '../telemetry/log.ts';
import type { JobKind, ProducedFile, ProducingKind } from './job-kind.ts';
import { getOrigin, JobStopped, loadOwner } from './job-owner.ts';
import * as store from './jobs.store.ts';
import { CLAIM_LOST, type LeaseRenewal, SHUTDOWN, startLeaseRenewal } from './lease-renewal.ts';

const DATA_EXPORT = 0;

/** Where files of jobs go. */
export interface FileOptions extends FilePlace {
  /** Bytes that the files of a site may use unless a limit is set for the site; null: no limit. */
  storageQuota: number | null;
  /** Program that converts documents to PDF (STEWARD_OFFICE). */
  officeProgram?: string | undefined;
  /** Table sheets of all areas, in the order of a backup; without them, no backup is made. */
  backupSheets?: readonly TableSheet[] | undefined;
  /** Tests shorten it. */
  leaseRenewalMs?: number;
}

interface ProduceContext {
  db: Db;
  log: Log;
  operations: readonly OperationRequirements[];
  files: FileOptions;
  /** Start of links in mails. */
  publicUrl: string;
}

/** Name of a job's file: each claim writes its own. */
export const getJobFileName = (job: Pick<store.ClaimedJob, 'siteId' | 'jobId' | 'fence'>): string =>
  `${job.siteId}-${job.jobId}-${job.fence}`;

/** Folder of the files that jobs make. */
export const getJobFolder = ({ dataDir, blobs }: FilePlace): FileFolder =>
  createFileFolder({
    place: { dataDir, blobs },
    folder: 'exports',
    pattern: /^\d+-\d+-\d+/,
    extension: '',
  });

/**
 * Makes the file of a claimed job and ends the job. Nothing is left behind by an attempt that fails.
 * @throws JobStopped if the job cannot continue; any other error if it should be tried again
 */
export async function produceFile(
  context: ProduceContext,
  job: store.OwnedJob,
  kind: ProducingKind,
  shutdown?: AbortSignal,
): Promise<void> {
  const { db, files } = context;
  const caller = await loadOwner(context, job, kind);
  const folder = getJobFolder(files);
  await folder.create();
  await deleteEarlierAttempts(folder, job);
  const name = getJobFileName(job);
  const file = await createHashedFile(folder.getPartialPath(name));
  const renewal = startFileLeaseRenewal(context, job, kind, { getBytes: file.getBytes, shutdown });
  let mayHaveJob = false;
  try {
    const produced = await kind.produce({
      db,
      jobId: job.jobId,
      blobs: files.blobs,
      officeProgram: files.officeProgram,
      publicUrl: context.publicUrl,
      caller,
      parameters: job.parameters,
      readSelection: () => store.readSelection(db, job),
      signal: renewal.signal,
      reportProgress: renewal.reportProgress,
      async write(chunk) {
        renewal.signal.throwIfAborted();
        await file.write(chunk);
      },
    });
    const digest = await file.end();
    renewal.signal.throwIfAborted();
    await folder.publish(name, digest);
    mayHaveJob = await endWithFile(context, job, kind, { ...produced, ...digest, caller });
  } catch (error) {
    // The job may have ended with the file; if it has not, the next attempt or the clean-up deletes it.
    mayHaveJob = getDbError(error)?.code === dbErrorCodes.outcomeUnknown;
    // A job that ended with the file has no claim either.
    const reason: unknown = renewal.signal.aborted && !mayHaveJob ? renewal.signal.reason : error;
    await renewal.stop();
    if (reason === SHUTDOWN) await store.releaseJob(db, job);
    else if (reason !== CLAIM_LOST) {
      // Nothing of what was written is left.
      await store.renewLease(db, job, { done: 0, total: 0 });
      throw toStop(reason, file.getBytes());
    }
  } finally {
    await renewal.stop();
    await file.close();
    if (!mayHaveJob)
      await folder
        .delete(name)
        .catch((error: unknown) => context.log.warn({ err: error, name }, 'A file is left for the clean-up'));
  }
}

/** Deletes what processes that died left of the job. A process that still writes such a file has lost its claim. */
async function deleteEarlierAttempts(folder: FileFolder, job: store.ClaimedJob): Promise<void> {
  for (const name of await folder.list(`${job.siteId}-${job.jobId}-`)) await folder.delete(name);
}

/** Ends the job with its file, its audit row and its row of the activity report. Returns false if the claim was lost. */
function endWithFile(
  { db, files, publicUrl }: ProduceContext,
  job: store.OwnedJob,
  kind: ProducingKind,
  { caller, ...file }: ProducedFile & { size: number; sha256: Buffer; caller: Caller },
): Promise<boolean> {
  const { siteId, jobId, ip } = job;
  const { name, rows, subject, detail, size } = file;
  return change(db, getActor({ caller, origin: getOrigin(job) }), async (tx, record) => {
    const usedBefore = await lockStorage(tx, siteId);
    if (!(await store.renewLease(tx, job, { done: rows, total: rows }))) return false;
    await store.insertFile(tx, job, file);
    await requireStorage(tx, siteId, { usedBefore, defaultQuota: files.storageQuota, path: 'file' });
    await file.save?.(tx, record);
    const ended = await store.endJob(tx, job);
    if (ended)
      await notify(tx, publicUrl, {
        siteId,
        userIds: [caller.userId],
        category: 'jobFinished',
        title: ended.title,
        detail: file.summary ?? `${formatNumber(rows)} rows in ${name}`,
        path: `/jobs/${jobId}`,
      });
    record({ action: 'job.finish', subject: ['job', jobId], changes: { kind: [null, job.kind] } });
    if (kind.recordDownload) return true;
    record({
      action: 'user.export',
      subject: ['export', subject],
      changes: {
        exportDataType: [null, DATA_EXPORT],
        rows: [null, rows],
        file: [null, name],
        size: [null, size],
        ...Object.fromEntries(Object.entries(detail).map(([key, value]) => [key, [null, value]])),
      },
    });
    await insertActivity(tx, {
      siteId,
      userId: caller.userId,
      kind: ACTIVITY_TYPE.exported,
      ip,
      source: caller.scopes ? ACTIVITY_SOURCE.api : ACTIVITY_SOURCE.web,
      exportDataType: DATA_EXPORT,
      exportDetail: { subject, rows, ...detail },
    });
    return true;
  });
}

/** Starts the lease renewal of a job that makes a file, which also checks that the file fits into the storage of the site. */
const startFileLeaseRenewal = (
  context: ProduceContext,
  job: store.OwnedJob,
  kind: JobKind,
  { getBytes, shutdown }: { getBytes: () => number; shutdown: AbortSignal | undefined },
): LeaseRenewal => {
  const { db, log, files } = context;
  return startLeaseRenewal({
    db,
    log,
    job,
    shutdown,
    intervalMs: files.leaseRenewalMs,
    async check() {
      await loadOwner(context, job, kind);
      const { usedBytes, quotaBytes } = await readStorageUse(db, job.siteId);
      const limit = quotaBytes ?? files.storageQuota;
      if (limit !== null && usedBytes + getBytes() > limit)
        throw new JobStopped(
          `The files of this site use ${formatNumber(usedBytes)} of ${formatNumber(limit)} bytes, and this file needs more than ${formatNumber(getBytes())}.`,
        );
    },
  });
};

/** The error with which the turn ends: a reason to stop, or the error itself, after which the job is tried again. */
export function toStop(error: unknown, bytes: number): unknown {
  if (isDiskFull(error)) return new JobStopped(describeFullDisk(bytes), { cause: error });
  const canPass = error instanceof ApiError && error.status === 503;
  return error instanceof ApiError && !canPass ? new JobStopped(error.message, { cause: error }) : error;
}
