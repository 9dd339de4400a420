/** Who sees and steers a job. */
import { forbidden, notFound } from '../../kernel/api-error.ts';
import { requireCapabilities } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { findStartOperation } from '../../kernel/jobs/job-kind.ts';
import { findJob, type StoredJob } from './jobs.store.ts';

type AccessCall = Pick<Call, 'caller' | 'operations' | 'services'>;

/**
 * Kinds of jobs that the caller sees; undefined for all. A token sees the jobs whose start its scopes allow: the operations on jobs
 * have no scope of their own, because jobs of every scope are read and steered by them.
 */
export function getVisibleKinds(call: AccessCall): string[] | undefined {
  const { scopes } = call.caller;
  if (!scopes) return undefined;
  const names: ReadonlySet<string> = scopes;
  return [...call.services.jobKinds.values()]
    .filter((kind) => {
      const { scope } = findStartOperation(call.operations, kind);
      return scope !== undefined && names.has(scope);
    })
    .map(({ kind }) => kind);
}

/** The caller as the jobs name it: who acts for a principal has other jobs than without acting (spec 2.3). */
export const getJobIdentity = ({
  userId,
  acting,
}: Caller): Pick<StoredJob, 'principalId'> & { userId: number } => ({
  userId,
  principalId: acting?.principalId ?? null,
});

/** Whether the caller has started the job, acting for the same principal or for nobody. */
export function isOwnJob(caller: Caller, job: StoredJob): boolean {
  const { userId, principalId } = getJobIdentity(caller);
  return job.ownerId === userId && job.principalId === principalId;
}

/** The job if the caller sees it: an own one, or with View Activity one of another user. @throws ApiError 404 */
export function requireVisible(call: AccessCall, job: StoredJob | undefined, jobId: number): StoredJob {
  const { caller } = call;
  const kinds = getVisibleKinds(call);
  const isVisible =
    job &&
    (isOwnJob(caller, job) || caller.capabilities.has('View Activity')) &&
    (kinds === undefined || kinds.includes(job.kind));
  if (!isVisible) throw notFound(`Job ${jobId}`);
  return job;
}

/** Reads a job that the caller sees. @throws ApiError 404 */
export const requireReadableJob = async (
  call: AccessCall & Pick<Call, 'db'>,
  jobId: number,
): Promise<StoredJob> => requireVisible(call, await findJob(call.db, call.caller.siteId, jobId), jobId);

/** Reads a job of which the caller may also read what its items hold. @throws ApiError 403, 404 */
export async function requireReadableItems(
  call: AccessCall & Pick<Call, 'db'>,
  jobId: number,
): Promise<StoredJob> {
  const job = await requireReadableJob(call, jobId);
  requireCapabilities(call.caller, call.services.jobKinds.get(job.kind)?.capabilities ?? []);
  return job;
}

/** An own job. @throws ApiError 404, 403 for the job of another user, with the reason */
export function requireOwn(
  call: AccessCall,
  found: StoredJob | undefined,
  { jobId, action }: { jobId: number; action: string },
): StoredJob {
  const job = requireVisible(call, found, jobId);
  if (!isOwnJob(call.caller, job))
    throw forbidden(`Only who started this job can ${action}, because it runs with their rights`);
  return job;
}
