import type { Job } from '../../../contract/generated/types.gen.ts';
import { conflict, forbidden } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage } from '../../kernel/http/parameters.ts';
import { readSelection } from '../../kernel/jobs/jobs.store.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import {
  getJobIdentity,
  getVisibleKinds,
  isOwnJob,
  requireOwn,
  requireReadableItems,
  requireReadableJob,
  requireVisible,
} from './access.ts';
import { openJobStream } from './job-streams.ts';
import * as store from './jobs.store.ts';
import type { StoredJob } from './jobs.store.ts';
import { downloadJobReport } from './report.ts';
import { INPUT_DAYS } from './retention.ts';
import { startPlan, toJob } from './start.ts';
import { listJobParts, putJobPart, submitJob } from './uploads.ts';

type Operations =
  | 'listJobs'
  | 'streamJobs'
  | 'getJob'
  | 'listJobItems'
  | 'listJobReasons'
  | 'getJobPace'
  | 'downloadJobReport'
  | 'listJobParts'
  | 'putJobPart'
  | 'submitJob'
  | 'pauseJob'
  | 'resumeJob'
  | 'cancelJob'
  | 'retryJob'
  | 'undoJob';

export const jobHandlers: Handlers<Operations> = {
  async listJobs(call) {
    const { db, caller, query, services } = call;
    const isOthers = query.owner === 'others';
    if (isOthers && !caller.capabilities.has('View Activity'))
      throw forbidden('Jobs of other users require the capability View Activity');
    const filter = {
      ...getJobIdentity(caller),
      isOthers,
      state: query.state,
      kinds: getVisibleKinds(call),
    };
    const jobs = await store.listJobs(db, caller.siteId, filter, parsePage(query));
    return ok(jobs.map((job) => toJob(job, services)));
  },

  async streamJobs(call) {
    return { status: 200, events: (signal) => openJobStream(call, signal) };
  },

  async getJob(call) {
    return ok(toJob(await requireReadableJob(call, call.params.jobId), call.services));
  },

  async listJobItems(call) {
    const { db, params, query } = call;
    const { id } = await requireReadableItems(call, params.jobId);
    const { siteId } = call.caller;
    const { state, reason, search } = query;
    return ok(await store.listItems(db, { siteId, jobId: id }, { state, reason, search }, parsePage(query)));
  },

  async listJobReasons(call) {
    const { id } = await requireReadableItems(call, call.params.jobId);
    return ok(await store.listReasons(call.db, { siteId: call.caller.siteId, jobId: id }));
  },

  async getJobPace(call) {
    const { id } = await requireReadableJob(call, call.params.jobId);
    return ok(await store.readPace(call.readDb, { siteId: call.caller.siteId, jobId: id }));
  },

  downloadJobReport,
  listJobParts,
  putJobPart,
  submitJob,

  pauseJob: (call) =>
    setState(call, 'job.pause', 'paused', (job) => {
      if (job.state !== 'waiting' && job.state !== 'running')
        throw conflict(`This job is ${job.state} and cannot be paused`);
    }),

  resumeJob: (call) =>
    setState(call, 'job.resume', 'waiting', (job) => {
      requireOwn(call, job, { jobId: job.id, action: 'resume it' });
      if (job.state !== 'paused') throw conflict('This job is not paused');
    }),

  cancelJob: (call) =>
    setState(call, 'job.cancel', 'cancelled', (job) => {
      if (isEnded(job)) throw conflict('This job has already ended');
    }),

  async retryJob(call) {
    const { db, caller, params } = call;
    const job = await requireReadableJob(call, params.jobId);
    if (!isEnded(job)) throw conflict('This job has not ended yet');
    const jobKind = call.services.jobKinds.get(job.kind);
    // A file is made as a whole.
    const key = { siteId: caller.siteId, jobId: job.id };
    if (jobKind?.produce) {
      const selectedIds = await readSelection(db, key);
      return startPlan(call, { kind: job.kind, parameters: job.parameters, items: [], selectedIds });
    }
    const failed = await store.listInputs(db, key, 'failed');
    if (failed.length === 0) throw conflict('No item of this job failed');
    if (failed.some(({ input }) => Object.keys(input).length === 0))
      throw conflict(`What this job asked was deleted ${INPUT_DAYS} days after its end`);
    const { kind, parameters } = job;
    const items =
      (await jobKind?.retryItems?.({ db, ...key }, parameters, failed)) ?? failed.map(({ input }) => input);
    return startPlan(call, { kind, parameters, items });
  },

  async undoJob(call) {
    const { db, caller, params, services } = call;
    const job = await requireReadableJob(call, params.jobId);
    if (toJob(job, services).undoUntil === null)
      throw conflict('Nothing of this job can be restored any more');
    const done = await store.listInputs(db, { siteId: caller.siteId, jobId: job.id }, 'done');
    const plan = services.jobKinds.get(job.kind)?.invert?.(job.parameters, done);
    if (!plan) throw conflict('What this job did cannot be undone');
    // Users changed by anyone else since are left alone.
    const parameters = { ...plan.parameters, lastModifiedBy: job.principalId ?? job.ownerId };
    return startPlan(call, { ...plan, parameters }, { inverseOf: job.id });
  },
};

const isEnded = ({ state }: StoredJob | Job): boolean =>
  state === 'finished' || state === 'cancelled' || state === 'stopped';

async function setState(
  call: Call<'pauseJob' | 'resumeJob' | 'cancelJob'>,
  action: string,
  state: 'paused' | 'waiting' | 'cancelled',
  check: (job: StoredJob) => void,
): Promise<{ status: 200; body: Job }> {
  const { caller, params, services } = call;
  const { siteId } = caller;
  const job = await change(call.db, getActor(call), async (tx, record) => {
    const before = requireVisible(call, await store.lockJob(tx, siteId, params.jobId), params.jobId);
    if (!isOwnJob(caller, before) && !caller.capabilities.has('Manage Settings'))
      throw forbidden('Jobs of other users require the capability Manage Settings');
    check(before);
    await store.setState(tx, siteId, before.id, state);
    record({ action, subject: ['job', before.id], changes: { state: [before.state, state] } });
    return (await store.findJob(tx, siteId, before.id)) ?? before;
  });
  if (state === 'waiting') for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
  return { status: 200, body: toJob(job, services) };
}
