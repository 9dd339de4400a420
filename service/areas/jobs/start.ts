import type { Job } from '../../../contract/generated/types.gen.ts';
import { badRequest, retryLater } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { authorize } from '../../kernel/auth/authorize.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { parseTimestamp } from '../../kernel/http/parameters.ts';
import type { JobPlan } from '../../kernel/jobs/job-kind.ts';
import { countOpenJobs, insertJob, JOB_LIMITS } from '../../kernel/jobs/jobs.store.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import * as store from './jobs.store.ts';
import type { StoredJob } from './jobs.store.ts';

/** Options that all operations which start a job share. */
interface JobRequest {
  reviewedAt?: string | undefined;
  notBefore?: string | undefined;
  afterJobId?: number | undefined;
}

/** A request of an operation that starts a job. */
export type StartCall = Pick<Call, 'db' | 'caller' | 'origin' | 'operations' | 'services'>;

/** Items of a job that change users alike, each user once. */
export const toUserItems = (userIds: readonly number[]): { userId: number }[] =>
  [...new Set(userIds)].map((userId) => ({ userId }));

/** @throws ApiError 400 for a user who occurs twice, whose second item would contradict the first */
export function requireUniqueUsers<Item extends { userId: number }>(
  path: string,
  items: readonly Item[],
): readonly Item[] {
  const seen = new Set<number>();
  const errors = items.flatMap(({ userId }, index) => {
    const isRepeated = seen.has(userId);
    seen.add(userId);
    return isRepeated ? [{ path: `${path}.${index}.userId`, message: `user ${userId} occurs twice` }] : [];
  });
  if (errors.length > 0) throw badRequest(errors);
  return items;
}

/** Starts the job of a request (`startPlan`) with the options in its body. */
export function startJob(
  call: StartCall & { body: JobRequest },
  { kind, parameters, items }: JobPlan,
): Promise<{ status: 202; body: Job }> {
  const { reviewedAt, notBefore, afterJobId } = call.body;
  return startPlan(
    call,
    { kind, parameters: { ...parameters, reviewedAt }, items },
    {
      afterJobId,
      notBefore: notBefore === undefined ? undefined : parseTimestamp('notBefore', notBefore),
    },
  );
}

/**
 * Stores a job in a transaction with its audit row and wakes the tasks that run jobs.
 * @throws ApiError 400 for an unknown predecessor, 403 without the capability of the kind, 429 for too many jobs
 */
export async function startPlan(
  call: StartCall,
  { kind, parameters, items }: JobPlan,
  options: { inverseOf?: number; afterJobId?: number | undefined; notBefore?: Date | undefined } = {},
): Promise<{ status: 202; body: Job }> {
  const { db, caller, origin, services } = call;
  const { siteId, userId, acting, scopes } = caller;
  const jobKind = services.jobKinds.get(kind);
  const operation = call.operations.find(({ id }) => id === jobKind?.operation);
  if (!jobKind || !operation) throw new Error(`The kind ${kind} is not known`);
  authorize(operation, caller);
  const title = await jobKind.describe({ db, siteId }, parameters, items);
  const job = await change(
    db,
    getActor(call),
    async (tx, record) => {
      if (options.afterJobId !== undefined && !(await store.findJob(tx, siteId, options.afterJobId)))
        throw badRequest([
          { path: 'afterJobId', message: `job ${options.afterJobId} does not exist on this site` },
        ]);
      await requireFreePlace(tx, siteId, userId);
      const jobId = await insertJob(tx, {
        siteId,
        kind,
        title,
        parameters,
        items,
        labels: jobKind.labels,
        ip: origin.ip,
        requestId: origin.requestId,
        owner: {
          userId,
          principalId: acting?.principalId ?? null,
          reportId: acting?.reportId ?? null,
          scopes: scopes ? [...scopes] : null,
          isProven: caller.hasProofOfPresence,
          isFederated: caller.isFederated,
        },
        ...options,
      });
      record({
        action: 'job.start',
        subject: ['job', jobId],
        changes: { title: [null, title], items: [null, items.length] },
      });
      const stored = await store.findJob(tx, siteId, jobId);
      if (!stored) throw new Error('The stored job does not exist');
      return stored;
    },
    // Two requests at once must not exceed the limit of jobs together.
    { lockSite: true },
  );
  for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
  return { status: 202, body: toJob(job, services) };
}

const MAX_OPEN_JOBS = JOB_LIMITS.runningPerPerson + JOB_LIMITS.waitingPerPerson;
const RETRY_SECONDS = 60;

/** @throws ApiError 429 if the user has as many jobs as may run and wait */
async function requireFreePlace(tx: Tx, siteId: number, userId: number): Promise<void> {
  if ((await countOpenJobs(tx, siteId, userId)) < MAX_OPEN_JOBS) return;
  throw retryLater(
    429,
    `You have ${MAX_OPEN_JOBS} jobs that have not ended. Wait for one or cancel it.`,
    RETRY_SECONDS,
  );
}

const toIso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Job as returned by the API. */
export function toJob(job: StoredJob, { jobKinds }: Call['services']): Job {
  const hasInverse = jobKinds.get(job.kind)?.invert?.(job.parameters, []) !== undefined;
  return {
    ...job,
    createdDate: job.createdDate.toISOString(),
    startedDate: toIso(job.startedDate),
    finishedDate: toIso(job.finishedDate),
    notBefore: toIso(job.notBefore),
    undoUntil: hasInverse ? toIso(job.undoUntil) : null,
  };
}
