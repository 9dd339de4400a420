import type { Job } from '../../../contract/generated/types.gen.ts';
import { badRequest, conflict, forbidden, notFound, retryLater } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { authorize } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage, parseTimestamp } from '../../kernel/http/parameters.ts';
import type { JobPlan } from '../../kernel/jobs/job-kind.ts';
import { countOpenJobs, insertJob, JOB_LIMITS } from '../../kernel/jobs/jobs.store.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import * as store from './jobs.store.ts';
import type { StoredJob } from './jobs.store.ts';

type StartOperations =
  | 'startUserUpdates'
  | 'startUserRemovals'
  | 'startLicenseChanges'
  | 'startMembershipChanges';
type Operations =
  | StartOperations
  | 'listJobs'
  | 'getJob'
  | 'listJobItems'
  | 'pauseJob'
  | 'resumeJob'
  | 'cancelJob'
  | 'retryJob'
  | 'undoJob';

export const jobHandlers: Handlers<Operations> = {
  async startUserUpdates(call) {
    const { userIds, isActive, twoFactorEnabled, ipRestrictionsEnabled } = call.body;
    const switches = { isActive, twoFactorEnabled, ipRestrictionsEnabled };
    if (Object.values(switches).every((value) => value === undefined))
      throw badRequest([
        { path: 'isActive', message: 'or twoFactorEnabled or ipRestrictionsEnabled is required' },
      ]);
    return start(call, 'users.update', switches, toUserItems(userIds));
  },

  startUserRemovals: (call) => start(call, 'users.remove', {}, toUserItems(call.body.userIds)),

  startLicenseChanges: (call) =>
    start(call, 'licenses.change', {}, requireUniqueUsers('licenses', call.body.licenses)),

  startMembershipChanges: (call) =>
    start(call, 'groups.change', {}, requireUniqueUsers('memberships', call.body.memberships)),

  async listJobs({ db, caller, query, services }) {
    const isOthers = query.owner === 'others';
    if (isOthers && !caller.capabilities.has('View Activity'))
      throw forbidden('Jobs of other users require the capability View Activity');
    const filter = { userId: caller.userId, isOthers, state: query.state };
    const jobs = await store.listJobs(db, caller.siteId, filter, parsePage(query));
    return ok(jobs.map((job) => toJob(job, services)));
  },

  async getJob({ db, caller, params, services }) {
    return ok(toJob(await requireReadableJob(db, caller, params.jobId), services));
  },

  async listJobItems({ db, caller, params, query }) {
    const { id } = await requireReadableJob(db, caller, params.jobId);
    const { siteId } = caller;
    return ok(await store.listItems(db, { siteId, jobId: id }, query.state, parsePage(query)));
  },

  pauseJob: (call) =>
    setState(call, 'job.pause', 'paused', (job) => {
      if (job.state !== 'waiting' && job.state !== 'running')
        throw conflict(`This job is ${job.state} and cannot be paused`);
    }),

  resumeJob: (call) =>
    setState(call, 'job.resume', 'waiting', (job) => {
      if (job.ownerId !== call.caller.userId)
        throw forbidden('Only who started this job can resume it, because it runs with their rights');
      if (job.state !== 'paused') throw conflict('This job is not paused');
    }),

  cancelJob: (call) =>
    setState(call, 'job.cancel', 'cancelled', (job) => {
      if (isEnded(job)) throw conflict('This job has already ended');
    }),

  async retryJob(call) {
    const { db, caller, params } = call;
    const job = await requireReadableJob(db, caller, params.jobId);
    if (!isEnded(job)) throw conflict('This job has not ended yet');
    const failed = await store.listInputs(db, { siteId: caller.siteId, jobId: job.id }, 'failed');
    if (failed.length === 0) throw conflict('No item of this job failed');
    const { kind, parameters } = job;
    return startPlan(call, { kind, parameters, items: failed.map(({ input }) => input) });
  },

  async undoJob(call) {
    const { db, caller, params, services } = call;
    const job = toJob(await requireReadableJob(db, caller, params.jobId), services);
    if (job.undoUntil === null || Date.parse(job.undoUntil) < Date.now())
      throw conflict('Nothing of this job can be restored any more');
    const done = await store.listInputs(db, { siteId: caller.siteId, jobId: job.id }, 'done');
    const plan = services.jobKinds.get(job.kind)?.invert?.(job.parameters, done);
    if (!plan) throw conflict('What this job did cannot be undone');
    // Users changed by anyone else since are left alone.
    const parameters = { ...plan.parameters, lastModifiedBy: job.ownerId };
    return startPlan(call, { ...plan, parameters }, { inverseOf: job.id });
  },
};

const toUserItems = (userIds: readonly number[]) => [...new Set(userIds)].map((userId) => ({ userId }));

/** @throws ApiError 400 for a user who occurs twice, whose second item would contradict the first */
function requireUniqueUsers<Item extends { userId: number }>(
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

const isEnded = ({ state }: StoredJob | Job): boolean =>
  state === 'finished' || state === 'cancelled' || state === 'stopped';

/** Starts the job of a request, with the options that all kinds share. */
function start(call: Call<StartOperations>, kind: string, parameters: object, items: readonly object[]) {
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
async function startPlan(
  call: Pick<Call, 'db' | 'caller' | 'origin' | 'operations' | 'services'>,
  { kind, parameters, items }: JobPlan,
  options: { inverseOf?: number; afterJobId?: number | undefined; notBefore?: Date | undefined } = {},
): Promise<{ status: 202; body: Job }> {
  const { db, caller, origin, services } = call;
  const { siteId, userId, acting, scopes } = caller;
  const operationId = services.jobKinds.get(kind)?.operation;
  const operation = call.operations.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`The kind ${kind} is not known`);
  authorize(operation, caller);
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
        parameters,
        items,
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
        changes: { kind: [null, kind], items: [null, items.length] },
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

/** The job of the caller, or of another user if the caller sees activity. @throws ApiError 404 */
async function requireReadableJob(db: Db, caller: Caller, jobId: number): Promise<StoredJob> {
  return requireVisible(await store.findJob(db, caller.siteId, jobId), caller, jobId);
}

function requireVisible(job: StoredJob | undefined, caller: Caller, jobId: number): StoredJob {
  const isVisible = job && (job.ownerId === caller.userId || caller.capabilities.has('View Activity'));
  if (!isVisible) throw notFound(`Job ${jobId}`);
  return job;
}

async function setState(
  call: Call<'pauseJob' | 'resumeJob' | 'cancelJob'>,
  action: string,
  state: 'paused' | 'waiting' | 'cancelled',
  check: (job: StoredJob) => void,
): Promise<{ status: 200; body: Job }> {
  const { caller, params, services } = call;
  const { siteId } = caller;
  const job = await change(call.db, getActor(call), async (tx, record) => {
    const before = requireVisible(await store.lockJob(tx, siteId, params.jobId), caller, params.jobId);
    if (before.ownerId !== caller.userId && !caller.capabilities.has('Manage Settings'))
      throw forbidden('Jobs of other users require the capability Manage Settings');
    check(before);
    await store.setState(tx, siteId, before.id, state);
    record({ action, subject: ['job', before.id], changes: { state: [before.state, state] } });
    return (await store.findJob(tx, siteId, before.id)) ?? before;
  });
  if (state === 'waiting') for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
  return { status: 200, body: toJob(job, services) };
}

const toIso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Job as returned by the API. */
function toJob(job: StoredJob, { jobKinds }: Call['services']): Job {
  const hasInverse = jobKinds.get(job.kind)?.invert !== undefined;
  return {
    ...job,
    createdDate: job.createdDate.toISOString(),
    startedDate: toIso(job.startedDate),
    finishedDate: toIso(job.finishedDate),
    notBefore: toIso(job.notBefore),
    undoUntil: hasInverse ? toIso(job.undoUntil) : null,
  };
}
