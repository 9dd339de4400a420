/** Runs jobs that do long work of their own: neither items nor a file of the job, such as a backup. */
import { change, createHostActor } from '../audit/change.ts';
import type { OperationRequirements } from '../auth/authorize.ts';
import type { TableSheet } from '../backup-sheets.ts';
import type { Db } from '../db/database.ts';
import { notify } from '../notifications.store.ts';
import type { Log } from '../telemetry/log.ts';
import type { FinishedWork, WorkingKind, WorkProgress } from './job-kind.ts';
import { loadOwner } from './job-owner.ts';
import * as store from './jobs.store.ts';
import { CLAIM_LOST, SHUTDOWN, startLeaseRenewal } from './lease-renewal.ts';
import { type FileOptions, toStop } from './produce-file.ts';

interface WorkContext {
  db: Db;
  log: Log;
  operations: readonly OperationRequirements[];
  files: FileOptions & { backupSheets: readonly TableSheet[] };
  /** Start of links in mails. */
  publicUrl: string;
}

/**
 * Does the work of a claimed job and ends the job.
 * @throws JobStopped if the job cannot continue; any other error if it should be tried again
 */
export async function runWork(
  context: WorkContext,
  job: store.ClaimedJob,
  kind: WorkingKind,
  shutdown?: AbortSignal,
): Promise<void> {
  const { db, log, publicUrl } = context;
  const { dataDir, blobs, backupSheets, leaseRenewalMs } = context.files;
  // A job of the service itself depends on nobody's rights.
  const checkOwner = async () => (store.isOwned(job) ? loadOwner(context, job, kind) : undefined);
  await checkOwner();
  let progress: WorkProgress = { done: 0, total: 0 };
  const renewal = startLeaseRenewal({
    db,
    log,
    job,
    shutdown,
    intervalMs: leaseRenewalMs,
    async check() {
      await checkOwner();
    },
  });
  const { signal } = renewal;
  try {
    const finished = await kind.work({
      db,
      siteId: job.siteId,
      jobId: job.jobId,
      fence: job.fence,
      parameters: job.parameters,
      dataDir,
      blobs,
      backupSheets,
      publicUrl,
      signal,
      reportProgress: (next) => {
        progress = next;
        renewal.reportProgress(next);
      },
      write: (run) =>
        db.transaction().execute(async (tx) => {
          signal.throwIfAborted();
          if (!(await store.renewLease(tx, job, progress))) throw CLAIM_LOST;
          return run(tx);
        }),
    });
    signal.throwIfAborted();
    await endWork(context, job, finished, progress).catch(async (error: unknown) => {
      await finished.discard();
      throw error;
    });
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    await renewal.stop();
    if (reason === SHUTDOWN) await store.releaseJob(db, job);
    else if (reason !== CLAIM_LOST) throw toStop(reason, 0);
  } finally {
    await renewal.stop();
  }
}

/** Ends the job with what it has made. @throws CLAIM_LOST */
async function endWork(
  { db, publicUrl }: WorkContext,
  job: store.ClaimedJob,
  { summary, save }: FinishedWork,
  { total }: WorkProgress,
): Promise<void> {
  const { siteId, jobId } = job;
  await change(db, createHostActor(siteId), async (tx, record) => {
    if (!(await store.renewLease(tx, job, { done: total, total }))) throw CLAIM_LOST;
    const { isMailed } = await save(tx, record);
    const ended = await store.endJob(tx, job);
    if (ended && ended.ownerId !== null)
      await notify(tx, isMailed ? undefined : publicUrl, {
        siteId,
        userIds: [ended.ownerId],
        category: 'jobFinished',
        title: ended.title,
        detail: summary,
        path: `/jobs/${jobId}`,
      });
    record({ action: 'job.finish', subject: ['job', jobId], changes: { kind: [null, job.kind] } });
  });
}
