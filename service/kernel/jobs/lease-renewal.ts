/** Keeps the claim of a job whose work takes long, and tells it why it cannot continue. */
import type { Db } from '../db/database.ts';
import type { Log } from '../telemetry/log.ts';
import type { WorkProgress } from './job-kind.ts';
import { JobStopped } from './job-owner.ts';
import * as store from './jobs.store.ts';

/** Interval at which a job without items renews its lease, stores its progress and checks that it may continue. */
const LEASE_RENEWAL_INTERVAL_MS = 2_000;

/** The claim was lost: the job was paused, cancelled or claimed by another process. */
export const CLAIM_LOST = new Error('The job is no longer held by this process');
export const SHUTDOWN = new Error('The service stops');

interface LeaseRenewalOptions {
  db: Db;
  log: Log;
  job: store.ClaimedJob;
  shutdown: AbortSignal | undefined;
  intervalMs?: number | undefined;
  /** Checks that the job may continue. @throws JobStopped with the reason why not */
  check: () => Promise<void>;
}

export interface LeaseRenewal {
  /** Aborts with the reason why the job cannot continue here. */
  signal: AbortSignal;
  reportProgress: (progress: WorkProgress) => void;
  /** Resolves when no renewal is under way, which could prolong a lease that has been released. */
  stop: () => Promise<void>;
}

/** Renews the lease of a job at intervals. */
export function startLeaseRenewal({
  db,
  log,
  job,
  shutdown,
  intervalMs,
  check,
}: LeaseRenewalOptions): LeaseRenewal {
  const controller = new AbortController();
  let progress: WorkProgress = { done: 0, total: 0 };
  let renewing: Promise<void> | undefined;
  const stop = () => controller.abort(SHUTDOWN);
  shutdown?.addEventListener('abort', stop, { once: true });
  if (shutdown?.aborted) stop();

  async function renew(): Promise<void> {
    if (await store.renewLease(db, job, progress)) await check();
    else controller.abort(CLAIM_LOST);
  }

  const timer = setInterval(() => {
    renewing ??= renew()
      .catch((error: unknown) => {
        if (error instanceof JobStopped) controller.abort(error);
        // The lease lasts for many intervals, and the end of the job requires it.
        else log.warn({ err: error, jobId: job.jobId }, 'The lease of a job was not renewed');
      })
      .finally(() => (renewing = undefined));
  }, intervalMs ?? LEASE_RENEWAL_INTERVAL_MS);
  return {
    signal: controller.signal,
    reportProgress: (next) => {
      progress = next;
    },
    async stop() {
      clearInterval(timer);
      shutdown?.removeEventListener('abort', stop);
      await renewing;
    },
  };
}
