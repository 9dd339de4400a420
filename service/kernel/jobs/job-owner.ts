import { ApiError } from '../api-error.ts';
import { authorize, requireCapabilities, type OperationRequirements } from '../auth/authorize.ts';
import type { Caller, RequestOrigin } from '../auth/caller.ts';
import { findJobOwner, isAssigned, resolveCaller } from '../auth/callers.store.ts';
import type { Db } from '../db/database.ts';
import { findStartOperation, type JobKind } from './job-kind.ts';
import type { ClaimedJob, JobOwner } from './jobs.store.ts';

/** The job cannot continue: the owner lost a right, or what it needs is missing. The message is its reason in words. */
export class JobStopped extends Error {}

/**
 * The owner as caller, with the checks that a request of the owner would pass now: membership, license, address, proxy assignment,
 * scope and capability.
 * @throws JobStopped with the reason in words
 */
export async function loadOwner(
  { db, operations }: { db: Db; operations: readonly OperationRequirements[] },
  job: Pick<ClaimedJob, 'siteId' | 'ip'> & { owner: JobOwner },
  kind: Pick<JobKind, 'operation' | 'capabilities'>,
): Promise<Caller> {
  const found = await findJobOwner(db, { siteId: job.siteId, ip: job.ip, ...job.owner });
  if (!found) throw new JobStopped('Who started this job may no longer act on this site');
  const { principal } = found;
  if (principal && !isAssigned(principal))
    throw new JobStopped('Who started this job may no longer act for the user on whose behalf it ran');
  if (found.isAddressRefused || principal?.isAddressRefused)
    throw new JobStopped(`The address ${job.ip}, from which this job was started, is no longer approved`);
  const caller = resolveCaller(found);
  try {
    authorize(findStartOperation(operations, kind), caller);
    requireCapabilities(caller, kind.capabilities ?? []);
  } catch (error) {
    if (error instanceof ApiError) throw new JobStopped(error.message, { cause: error });
    throw error;
  }
  return caller;
}

/** The request that started a job, as origin of what the job writes. */
export const getOrigin = (job: Pick<ClaimedJob, 'requestId' | 'ip'>): RequestOrigin => ({
  requestId: job.requestId,
  ip: job.ip,
  userAgent: undefined,
});
