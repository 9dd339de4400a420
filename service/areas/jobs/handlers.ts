import type { Job } from '../../../contract/generated/types.gen.ts';
import { conflict, forbidden, notFound } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage } from '../../kernel/http/parameters.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import * as store from './jobs.store.ts';
import type { StoredJob } from './jobs.store.ts';
import { startPlan, toJob } from './start.ts';

type Operations =
  | 'listJobs'
  | 'getJob'
  | 'listJobItems'
  | 'listJobReasons'
  | 'pauseJob'
  | 'resumeJob'
  | 'cancelJob'
  | 'retryJob'
  | 'undoJob';

export const jobHandlers: Handlers<Operations> = {
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
    const { state, reason, search } = query;
    return ok(await store.listItems(db, { siteId, jobId: id }, { state, reason, search }, parsePage(query)));
  },

  async listJobReasons({ db, caller, params }) {
    const { id } = await requireReadableJob(db, caller, params.jobId);
    return ok(await store.listReasons(db, { siteId: caller.siteId, jobId: id }));
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

const isEnded = ({ state }: StoredJob | Job): boolean =>
  state === 'finished' || state === 'cancelled' || state === 'stopped';

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
