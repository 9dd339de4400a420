import type { Job } from '../../../contract/generated/types.gen.ts';
import { conflict, forbidden } from '../../kernel/api-error.ts';
import { change, getActor, type Recorder } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage, UNVERSIONED_ETAG } from '../../kernel/http/parameters.ts';
import type { JobKind, JobPlan } from '../../kernel/jobs/job-kind.ts';
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
import { deleteParts } from './uploads.store.ts';
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

/** Kinds in both lists; undefined stands for all kinds. */
const intersect = (
  visible: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined =>
  visible && asked ? asked.filter((kind) => visible.includes(kind)) : (asked ?? visible);

export const jobHandlers: Handlers<Operations> = {
  async listJobs(call) {
    const { db, caller, query, services } = call;
    const { owner = 'own' } = query;
    if (owner !== 'own' && !caller.capabilities.has('View Activity'))
      throw forbidden('Jobs of other users require the capability View Activity');
    const filter = {
      ...getJobIdentity(caller),
      owner,
      state: query.state,
      kinds: intersect(getVisibleKinds(call), query.kinds),
    };
    const jobs = await store.listJobs(db, caller.siteId, filter, parsePage(query));
    return ok(jobs.map((job) => toJob(job, services)));
  },

  async streamJobs(call) {
    return { status: 200, events: (signal) => openJobStream(call, signal) };
  },

  async getJob(call) {
    return ok(toJob(await requireReadableJob(call, call.params.jobId), call.services), {
      etag: UNVERSIONED_ETAG,
    });
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
      // Jobs of the service itself are resumed by whoever may pause them.
      if (job.ownerId !== null) requireOwn(call, job, { jobId: job.id, action: 'resume it' });
      if (job.state !== 'paused') throw conflict('This job is not paused');
    }),

  cancelJob,

  async retryJob(call) {
    const { db, caller, params } = call;
    const job = await requireReadableJob(call, params.jobId);
    if (!isEnded(job)) throw conflict('This job has not ended yet');
    const jobKind = call.services.jobKinds.get(job.kind);
    if (jobKind?.work) throw conflict('This job cannot be retried. Start it again where it was started.');
    // A file is made as a whole.
    const key = { siteId: caller.siteId, jobId: job.id };
    if (jobKind?.produce) {
      const selectedIds = await readSelection(db, key);
      return startPlan(call, { kind: job.kind, parameters: job.parameters, items: [], selectedIds });
    }
    const { kind, parameters } = job;
    const items = (tx: Tx) => readFailedInputs(tx, key, jobKind, parameters);
    return startPlan(call, { kind, parameters, items });
  },

  async undoJob(call) {
    const { db, caller, params, services } = call;
    const job = await requireReadableJob(call, params.jobId);
    if (toJob(job, services).undoUntil === null)
      throw conflict('Nothing of this job can be restored any more');
    const kind = services.jobKinds.get(job.kind);
    const key = { siteId: caller.siteId, jobId: job.id };
    const plan = kind && (await planInverse(db, kind, job.parameters, key));
    if (!plan) throw conflict('What this job did cannot be undone');
    // Users changed by anyone else since are skipped.
    const parameters = { ...plan.parameters, lastModifiedBy: job.principalId ?? job.ownerId };
    const items = (tx: Tx) => readInverseItems(tx, kind, job.parameters, key);
    return startPlan(call, { kind: plan.kind, parameters, items }, { inverseOf: job.id });
  },
};

/** Cancels the job that `jobId` names. @throws ApiError 403, 404, 409 for a job that has ended */
export function cancelJob(call: StateCall): Promise<{ status: 200; body: Job }> {
  return setState(call, 'job.cancel', 'cancelled', (job) => {
    if (isEnded(job)) throw conflict('This job has already ended');
  });
}

/**
 * Cancels a job in the transaction of an operation on what the job works on; an ended job stays as it is. The operation has checked the
 * rights, and changes what the job works on itself.
 */
export async function cancelJobOf(
  tx: Tx,
  record: Recorder,
  { siteId, jobId }: { siteId: number; jobId: number },
): Promise<void> {
  const job = await store.lockJob(tx, siteId, jobId);
  if (!job || isEnded(job)) return;
  await store.setState(tx, siteId, jobId, 'cancelled');
  record({ action: 'job.cancel', subject: ['job', jobId], changes: { state: [job.state, 'cancelled'] } });
}

/** Requests of the failed items of a job, in pages. @throws ApiError 409 when it was deleted or nothing failed */
async function* readFailedInputs(
  tx: Tx,
  key: { siteId: number; jobId: number },
  kind: JobKind | undefined,
  parameters: object,
): AsyncGenerator<readonly object[]> {
  await kind?.lockInputs?.(tx, key.siteId);
  let isEmpty = true;
  const collected: store.EndedItem[] = [];
  for await (const page of store.readItems(tx, key, 'failed')) {
    isEmpty = false;
    if (page.some(({ input }) => Object.keys(input).length === 0))
      throw conflict(`What this job asked was deleted ${INPUT_DAYS} days after its end`);
    if (kind?.retryItems) collected.push(...page);
    else yield page.map(({ input }) => input);
  }
  if (isEmpty) throw conflict('No item of this job failed');
  if (kind?.retryItems) yield await kind.retryItems({ tx, ...key }, parameters, collected);
}

/** Kind and parameters of the job that undoes another; undefined if nothing of it can be undone. */
async function planInverse(
  db: Db,
  kind: JobKind,
  parameters: object,
  key: { siteId: number; jobId: number },
): Promise<Omit<JobPlan, 'items'> | undefined> {
  let joined: JobPlan | undefined;
  for await (const done of store.readItems(db, key, 'done', kind.invertsBackwards)) {
    const plan = kind.invert?.(parameters, done);
    if (plan && joined && kind.joinInverses) joined = { ...kind.joinInverses(joined, plan), items: [] };
    joined ??= plan && { kind: plan.kind, parameters: plan.parameters, items: [] };
    if (joined && !kind.joinInverses) return joined;
  }
  return joined;
}

/** Items of the job that undoes another, in pages. */
async function* readInverseItems(
  tx: Tx,
  kind: JobKind,
  parameters: object,
  key: { siteId: number; jobId: number },
): AsyncGenerator<readonly object[]> {
  let hasLastItems = false;
  for await (const done of store.readItems(tx, key, 'done', kind.invertsBackwards)) {
    const plan = kind.invert?.(parameters, done);
    hasLastItems ||= plan?.lastItems !== undefined && plan.lastItems.length > 0;
    yield plan?.items ?? [];
  }
  if (!hasLastItems) return;
  for await (const done of store.readItems(tx, key, 'done'))
    yield kind.invert?.(parameters, done)?.lastItems ?? [];
}

const isEnded = ({ state }: StoredJob | Job): boolean =>
  state === 'finished' || state === 'cancelled' || state === 'stopped';

/** A request that changes the state of a job. */
type StateCall = Pick<Call, 'db' | 'caller' | 'origin' | 'operations' | 'services'> & {
  params: { jobId: number };
};

async function setState(
  call: StateCall,
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
    if (state === 'cancelled' && before.state === 'uploading')
      await deleteParts(tx, { siteId, jobId: before.id });
    if (state === 'cancelled')
      await services.jobKinds.get(before.kind)?.abandon?.({
        tx,
        record,
        siteId,
        jobId: before.id,
        parameters: before.parameters,
        stop: undefined,
        publicUrl: services.publicUrl,
      });
    record({ action, subject: ['job', before.id], changes: { state: [before.state, state] } });
    return (await store.findJob(tx, siteId, before.id)) ?? before;
  });
  if (state === 'waiting') for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
  return { status: 200, body: toJob(job, services) };
}
