import type { Job } from '../../../contract/generated/types.gen.ts';
import { badRequest, conflict, forbidden, retryLater } from '../../kernel/api-error.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { authorize, requireCapabilities, requireProofOfPresence } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { Operation } from '../../kernel/http/contract.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { parseTimestamp } from '../../kernel/http/parameters.ts';
import { findStartOperation, type JobKind, type JobPlan } from '../../kernel/jobs/job-kind.ts';
import {
  countOpenJobs,
  getStoredItems,
  insertAllItems,
  insertJob,
  JOB_LIMITS,
  setTitle,
  type JobOwner,
  type JobKey,
} from '../../kernel/jobs/jobs.store.ts';
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

/**
 * The items in the body of an operation that starts a job; undefined if they follow in parts.
 * @throws ApiError 400 unless the body has either the items or `uploadsItems`
 */
export function getListedItems<Name extends string, Item>(
  body: { uploadsItems?: true } & { [Key in Name]?: Item[] },
  name: Name,
): Item[] | undefined {
  const items: Item[] | undefined = body[name];
  if (body.uploadsItems && items)
    throw badRequest([{ path: 'uploadsItems', message: `cannot be combined with ${name}` }]);
  if (!body.uploadsItems && !items)
    throw badRequest([{ path: name, message: 'or uploadsItems is required' }]);
  return items;
}

/** @throws ApiError 400 for a user who occurs twice, whose second item would contradict the first */
export function requireUniqueUsers<Item extends { userId: number }>(
  path: string,
  items: readonly Item[] | undefined,
): readonly Item[] | undefined {
  if (!items) return undefined;
  const seen = new Set<number>();
  const errors = items.flatMap(({ userId }, index) => {
    const isRepeated = seen.has(userId);
    seen.add(userId);
    return isRepeated ? [{ path: `${path}.${index}.userId`, message: `user ${userId} occurs twice` }] : [];
  });
  if (errors.length > 0) throw badRequest(errors);
  return items;
}

/** Request of a job whose items may follow in parts. */
type JobStart = Omit<JobPlan, 'items'> & {
  /** All items, or pages of them that are read in the transaction that stores the job. */
  items: readonly object[] | ((tx: Tx) => AsyncIterable<readonly object[]>) | undefined;
  /** Ids of the rows of an export, in their order. */
  selectedIds?: readonly number[] | undefined;
};

const parseOptional = (path: string, text: string | undefined): Date | undefined =>
  text === undefined ? undefined : parseTimestamp(path, text);

/**
 * Starts the job of a request (`startPlan`) with the options in its body.
 * @throws ApiError 400 for an invalid time, and as startPlan
 */
export function startJob(
  call: StartCall & { body: JobRequest },
  { kind, parameters, items, selectedIds }: JobStart,
): Promise<{ status: 202; body: Job }> {
  const { afterJobId } = call.body;
  // Stored with its time zone (shapes 1).
  const reviewedAt = parseOptional('reviewedAt', call.body.reviewedAt)?.toISOString();
  return startPlan(
    call,
    { kind, parameters: { ...parameters, reviewedAt }, items, selectedIds },
    { afterJobId, notBefore: parseOptional('notBefore', call.body.notBefore) },
  );
}

/** The kind of a job, and the operation whose scope, capability and proof its owner needs. */
export function getKind(
  { operations, services }: Pick<Call, 'operations' | 'services'>,
  kind: string,
): { jobKind: JobKind; operation: Operation } {
  const jobKind = services.jobKinds.get(kind);
  if (!jobKind) throw new Error(`The kind ${kind} is not known`);
  return { jobKind, operation: findStartOperation(operations, jobKind) };
}

/**
 * Checks that the caller may start a job: scope, capabilities and, if the operation or what the job changes requires it, proof of
 * presence.
 * @throws ApiError 403
 */
export function authorizeStart(
  { jobKind, operation }: { jobKind: JobKind; operation: Operation },
  caller: Caller,
  parameters: object,
): void {
  if (operation.isConsoleOnly && caller.scopes) throw forbidden('Only the console offers this');
  authorize(operation, caller);
  requireCapabilities(caller, jobKind.capabilities ?? []);
  const changed = new Map<string, unknown>(Object.entries(parameters));
  if (operation.stepUpProperties.some((name) => changed.get(name) !== undefined))
    requireProofOfPresence(caller);
}

/** The owner of a job with the rights of the request that starts it. */
export const toOwner = (caller: Caller): JobOwner => ({
  userId: caller.userId,
  principalId: caller.acting?.principalId ?? null,
  reportId: caller.acting?.reportId ?? null,
  scopes: caller.scopes ? [...caller.scopes] : null,
  isProven: caller.hasProofOfPresence,
  isFederated: caller.isFederated,
});

/** Computes the title of a job from its stored items, and stores it. */
export async function describeJob(
  tx: Tx,
  jobKind: JobKind,
  { parameters, total, ...key }: JobKey & { parameters: object; total: number },
): Promise<string> {
  const items = getStoredItems(tx, key, total);
  const title = await jobKind.describe({ db: tx, siteId: key.siteId }, parameters, items);
  await setTitle(tx, key, { title, total });
  return title;
}

/**
 * Stores a job in a transaction with its audit row and wakes the tasks that run jobs. Without items the job waits for their upload
 * (uploads.ts).
 * @throws ApiError 400 for an unknown predecessor, 403 without the capability of the kind, 429 for too many jobs
 */
export async function startPlan(
  call: StartCall,
  { kind, parameters, items, selectedIds }: JobStart,
  options: { inverseOf?: number; afterJobId?: number | undefined; notBefore?: Date | undefined } = {},
): Promise<{ status: 202; body: Job }> {
  const { db, caller, origin, services } = call;
  const { siteId, userId } = caller;
  const { jobKind, operation } = getKind(call, kind);
  authorizeStart({ jobKind, operation }, caller, parameters);
  const job = await change(db, getActor(call), async (tx, record) => {
    // Locked, so that two requests cannot undo the same job.
    const undone =
      options.inverseOf === undefined ? undefined : await store.lockJob(tx, siteId, options.inverseOf);
    if (undone && undone.inverseJobId !== null)
      throw conflict(`Job ${undone.inverseJobId} undoes this job already`);
    if (options.afterJobId !== undefined && !(await store.findJob(tx, siteId, options.afterJobId)))
      throw badRequest([
        { path: 'afterJobId', message: `job ${options.afterJobId} does not exist on this site` },
      ]);
    await requireFreePlace(tx, siteId, userId);
    const jobId = await insertJob(tx, {
      siteId,
      kind,
      // Replaced by what the items ask, once they are stored.
      title: operation.summary,
      state: items ? 'waiting' : 'uploading',
      parameters,
      selectedIds,
      ip: origin.ip,
      requestId: origin.requestId,
      owner: toOwner(caller),
      ...options,
    });
    const key = { siteId, jobId };
    const subject = ['job', jobId] as const;
    if (items) {
      let total = 0;
      for await (const page of typeof items === 'function' ? items(tx) : [items])
        total = await insertAllItems(tx, key, { labels: jobKind.labels, items: page, count: total });
      const title = await describeJob(tx, jobKind, { ...key, parameters, total });
      record({ action: 'job.start', subject, changes: { title: [null, title], items: [null, total] } });
    } else record({ action: 'job.upload', subject, changes: { kind: [null, kind] } });
    const stored = await store.findJob(tx, siteId, jobId);
    if (!stored) throw new Error('The stored job does not exist');
    return stored;
  });
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
  const shown: Job & Partial<Pick<StoredJob, 'principalId'>> = {
    ...job,
    createdDate: job.createdDate.toISOString(),
    startedDate: toIso(job.startedDate),
    finishedDate: toIso(job.finishedDate),
    notBefore: toIso(job.notBefore),
    retryDate: toIso(job.retryDate ?? null),
    file: job.file && { ...job.file, expiresDate: new Date(job.file.expiresDate).toISOString() },
    undoUntil: hasInverse ? toIso(job.undoUntil) : null,
  };
  delete shown.principalId;
  return shown;
}
