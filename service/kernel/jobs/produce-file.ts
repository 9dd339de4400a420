/** Runs jobs that make a file: written under a temporary name, published with the end of the job. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ApiError } from '../api-error.ts';
import { ACTIVITY_SOURCE, ACTIVITY_TYPE, insertActivity } from '../audit/activity.store.ts';
import { change, getActor } from '../audit/change.ts';
import type { OperationRequirements } from '../auth/authorize.ts';
import type { Caller } from '../auth/caller.ts';
import type { Db } from '../db/database.ts';
import { describeFullDisk, isDiskFull } from '../disk-full.ts';
import { createFileFolder, type FileFolder } from '../file-folder.ts';
import type { Log } from '../log.ts';
import { notify } from '../notifications.store.ts';
import { formatNumber } from '../numbers.ts';
import { lockStorage, readStorageUse, requireStorage } from '../storage.store.ts';
import type { JobKind, ProducedFile, ProducingKind } from './job-kind.ts';
import { getOrigin, JobStopped, loadOwner } from './job-owner.ts';
import * as store from './jobs.store.ts';

/** Interval at which a job that makes a file renews its lease, stores its progress and checks that it may continue. */
const HEARTBEAT_MS = 2_000;
/** Text is collected up to this length before it is written. */
const BUFFER_LENGTH = 1 << 20;
const DATA_EXPORT = 0;

/** Where files of jobs go. */
export interface FileOptions {
  dataDir: string;
  /** Bytes that the files of a site may use unless a limit is set for the site; null: no limit. */
  storageQuota: number | null;
  /** Program that converts documents to PDF (STEWARD_OFFICE). */
  officeProgram?: string | undefined;
  /** Tests shorten it. */
  heartbeatMs?: number;
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
export const getJobFolder = (dataDir: string): FileFolder =>
  createFileFolder({ dataDir, folder: 'exports', pattern: /^\d+-\d+-\d+/, extension: '' });

/** The claim was lost: the job was paused, cancelled or claimed by another process. */
const CLAIM_LOST = new Error('The job is no longer held by this process');
const SHUTDOWN = new Error('The service stops');

/**
 * Makes the file of a claimed job and ends the job. Nothing is left behind by an attempt that fails.
 * @throws JobStopped if the job cannot continue; any other error if it should be tried again
 */
export async function produceFile(
  context: ProduceContext,
  job: store.ClaimedJob,
  kind: ProducingKind,
  shutdown?: AbortSignal,
): Promise<void> {
  const { db, files } = context;
  const caller = await loadOwner(context, job, kind);
  const folder = getJobFolder(files.dataDir);
  await folder.create();
  await deleteEarlierAttempts(folder, job);
  const name = getJobFileName(job);
  const file = await openJobFile(folder.getPartialPath(name));
  const heartbeat = startHeartbeat(context, job, kind, { getBytes: file.getBytes, shutdown });
  let isPublished = false;
  try {
    const produced = await kind.produce({
      db,
      jobId: job.jobId,
      officeProgram: files.officeProgram,
      caller,
      parameters: job.parameters,
      readSelection: () => store.readSelection(db, job),
      signal: heartbeat.signal,
      reportProgress: heartbeat.reportProgress,
      async write(chunk) {
        heartbeat.signal.throwIfAborted();
        await file.write(chunk);
      },
    });
    const digest = await file.end();
    heartbeat.signal.throwIfAborted();
    await folder.publish(name);
    isPublished = await endWithFile(context, job, kind, { ...produced, ...digest, caller });
  } catch (error) {
    const reason: unknown = heartbeat.signal.aborted ? heartbeat.signal.reason : error;
    await heartbeat.stop();
    if (reason === SHUTDOWN) await store.releaseJob(db, job);
    else if (reason !== CLAIM_LOST) {
      // Nothing of what was written is left.
      await store.renewLease(db, job, { done: 0, total: 0 });
      throw toStop(reason, file.getBytes());
    }
  } finally {
    await heartbeat.stop();
    await file.close();
    if (!isPublished) await folder.delete(name);
  }
}

/** Deletes what processes that died left of the job. A process that still writes such a file has lost its claim. */
async function deleteEarlierAttempts(folder: FileFolder, job: store.ClaimedJob): Promise<void> {
  const prefix = `${job.siteId}-${job.jobId}-`;
  for (const name of await folder.list()) if (name.startsWith(prefix)) await folder.delete(name);
}

/** The file while it is written; hashes what is written. */
async function openJobFile(path: string) {
  const handle = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let pending = '';
  let bytes = 0;
  let isOpen = true;
  async function writeBytes(chunk: Uint8Array): Promise<void> {
    hash.update(chunk);
    for (let offset = 0; offset < chunk.length;) {
      const { bytesWritten } = await handle.write(chunk, offset);
      offset += bytesWritten;
      bytes += bytesWritten;
    }
  }
  async function flush(): Promise<void> {
    const text = pending;
    pending = '';
    if (text !== '') await writeBytes(Buffer.from(text));
  }
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  return {
    getBytes: () => bytes,
    async write(chunk: string | Uint8Array): Promise<void> {
      if (typeof chunk === 'string') {
        pending += chunk;
        if (pending.length >= BUFFER_LENGTH) await flush();
      } else {
        await flush();
        await writeBytes(chunk);
      }
    },
    /** Writes what is pending and flushes the file to the disk. */
    async end() {
      await flush();
      await handle.sync();
      await close();
      return { size: bytes, sha256: hash.digest() };
    },
    close,
  };
}

/** Ends the job with its file, its audit row and its row of the activity report. Returns false if the claim was lost. */
function endWithFile(
  { db, files, publicUrl }: ProduceContext,
  job: store.ClaimedJob,
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
    await file.save?.(tx);
    const ended = await store.endJob(tx, job);
    if (ended)
      await notify(tx, publicUrl, {
        siteId,
        userIds: [ended.ownerId],
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

interface HeartbeatOptions {
  getBytes: () => number;
  shutdown: AbortSignal | undefined;
}

/** Renews the lease at intervals; the signal aborts with the reason why the job cannot continue here. */
function startHeartbeat(
  context: ProduceContext,
  job: store.ClaimedJob,
  kind: JobKind,
  { getBytes, shutdown }: HeartbeatOptions,
) {
  const { db, log, files } = context;
  const controller = new AbortController();
  let progress = { done: 0, total: 0 };
  let beating: Promise<void> | undefined;
  const stop = () => controller.abort(SHUTDOWN);
  shutdown?.addEventListener('abort', stop, { once: true });
  if (shutdown?.aborted) stop();

  async function beat(): Promise<void> {
    if (!(await store.renewLease(db, job, progress))) return controller.abort(CLAIM_LOST);
    await loadOwner(context, job, kind);
    const { usedBytes, quotaBytes } = await readStorageUse(db, job.siteId);
    const limit = quotaBytes ?? files.storageQuota;
    if (limit !== null && usedBytes + getBytes() > limit)
      throw new JobStopped(
        `The files of this site use ${formatNumber(usedBytes)} of ${formatNumber(limit)} bytes, and this file needs more than ${formatNumber(getBytes())}.`,
      );
  }

  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error: unknown) => {
        if (error instanceof JobStopped) controller.abort(error);
        // The lease lasts for many heartbeats, and the end of the job requires it.
        else log.warn({ err: error, jobId: job.jobId }, 'The lease of a job was not renewed');
      })
      .finally(() => (beating = undefined));
  }, files.heartbeatMs ?? HEARTBEAT_MS);
  return {
    signal: controller.signal,
    reportProgress: (next: typeof progress) => {
      progress = next;
    },
    /** Resolves when no heartbeat is under way, which could renew a lease that has been released. */
    async stop() {
      clearInterval(timer);
      shutdown?.removeEventListener('abort', stop);
      await beating;
    },
  };
}

/** The error with which the turn ends: a reason to stop, or the error itself, after which the job is tried again. */
function toStop(error: unknown, bytes: number): unknown {
  if (isDiskFull(error)) return new JobStopped(describeFullDisk(bytes), { cause: error });
  const canPass = error instanceof ApiError && error.status === 503;
  return error instanceof ApiError && !canPass ? new JobStopped(error.message, { cause: error }) : error;
}
