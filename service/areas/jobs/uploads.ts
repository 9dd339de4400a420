/** Upload of the items of a job in parts: they arrive in any order, and the job starts when all are there. */
import type { Job, JobPart } from '../../../contract/generated/types.gen.ts';
import { ApiError, badRequest, conflict, MAX_FIELD_ERRORS, type FieldError } from '../../kernel/api-error.ts';
import { change, createHostActor, getActor } from '../../kernel/audit/change.ts';
import { authorize } from '../../kernel/auth/authorize.ts';
import { type Db, type Tx, withTransaction } from '../../kernel/db/database.ts';
import { ok, type Call } from '../../kernel/http/handler.ts';
import type { JobKind } from '../../kernel/jobs/job-kind.ts';
import { insertItems, type JobKey } from '../../kernel/jobs/jobs.store.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import { formatNumber } from '../../kernel/numbers.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { requireOwn, requireReadableJob } from './access.ts';
import { findJob, lockJob, type StoredJob } from './jobs.store.ts';
import { authorizeStart, describeJob, getKind, toJob, toOwner } from './start.ts';
import * as store from './uploads.store.ts';
import type { StoredPart } from './uploads.store.ts';

/** Limits of an upload; the contract has those of a part. */
const MAX_ITEMS = 1_000_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** An upload is deleted when no part has arrived for this time. */
const ABANDONED_HOURS = 24;
const CLEANUP_INTERVAL_MS = 3_600_000;

const toJobPart = ({ receivedDate, ...part }: StoredPart): JobPart => ({
  ...part,
  receivedDate: receivedDate.toISOString(),
});

/** Operation listJobParts. */
export async function listJobParts(call: Call<'listJobParts'>): Promise<{ status: 200; body: JobPart[] }> {
  const { id } = await requireReadableJob(call, call.params.jobId);
  return ok((await store.listParts(call.db, { siteId: call.caller.siteId, jobId: id })).map(toJobPart));
}

/** @throws ApiError 409 unless the items of the job are being uploaded */
function requireUploading({ state }: StoredJob): void {
  if (state !== 'uploading') throw conflict(`This job is ${state} and takes no more items`);
}

/**
 * Operation putJobPart. Parts of a job are stored one after another, so that two cannot exceed the limits together; each is stored with
 * its items in one transaction, so that an interrupted upload is continued with the next part.
 */
export async function putJobPart(call: Call<'putJobPart'>): Promise<{ status: 200; body: JobPart }> {
  const { db, caller, params, query } = call;
  const { siteId } = caller;
  const { jobId } = params;
  const requireOwnUpload = (found: StoredJob | undefined) => {
    const job = requireOwn(call, found, { jobId, action: 'upload its items' });
    requireUploading(job);
    return job;
  };
  // Before the body is read: it may be large.
  const { kind } = requireOwnUpload(await findJob(db, siteId, jobId));
  const { jobKind, operation } = getKind(call, kind);
  // The proof of presence is required when the job is submitted.
  authorize({ ...operation, requiresStepUp: false }, caller);
  const { lists, count, bytes } = await call.readItems(getItemSchema(jobKind), query.sha256);
  const part = { part: params.part, firstItem: query.firstItem, count, bytes, sha256: query.sha256 };
  return withTransaction(db, {}, async (tx) => {
    requireOwnUpload(await lockJob(tx, siteId, jobId));
    const key = { siteId, jobId };
    const parts = await store.listParts(tx, key);
    const previous = parts.find((each) => each.part === part.part);
    if (previous) return ok(toJobPart(requireSamePart(previous, part)));
    requireFreeNumbers(part, parts);
    requireWithinLimits(part, parts);
    let { firstItem } = part;
    for (const list of lists) {
      await insertItems(tx, key, { labels: jobKind.labels, json: list.json, firstItem });
      firstItem += list.count;
    }
    return ok(toJobPart(await store.insertPart(tx, key, part)));
  });
}

function getItemSchema({ kind, itemSchema }: JobKind): string {
  if (itemSchema === undefined) throw new Error(`Items of the kind ${kind} cannot be uploaded`);
  return itemSchema;
}

type NewPart = Omit<StoredPart, 'receivedDate'>;

const getEnd = ({ firstItem, count }: NewPart): number => firstItem + count - 1;

/** The part that was received before. @throws ApiError 409 if it had other content or began with another item */
function requireSamePart(previous: StoredPart, part: NewPart): StoredPart {
  if (previous.sha256 !== part.sha256)
    throw conflict(
      `Part ${part.part} was received with other content (SHA-256 ${previous.sha256}). Start the upload again if the plan has changed.`,
    );
  if (previous.firstItem !== part.firstItem)
    throw conflict(`Part ${part.part} was received with the first item ${previous.firstItem}`);
  return previous;
}

/** @throws ApiError 409 if items of another part have numbers of this one */
function requireFreeNumbers(part: NewPart, parts: readonly StoredPart[]): void {
  const other = parts.find((each) => each.firstItem <= getEnd(part) && getEnd(each) >= part.firstItem);
  if (other)
    throw conflict(
      `Part ${part.part} has the items ${part.firstItem} to ${getEnd(part)}, but part ${other.part} has the items ${other.firstItem} to ${getEnd(other)}`,
    );
}

/** @throws ApiError 413 above the limits of a job */
function requireWithinLimits(part: NewPart, parts: readonly StoredPart[]): void {
  if (getEnd(part) > MAX_ITEMS)
    throw new ApiError(
      413,
      `A job has at most ${formatNumber(MAX_ITEMS)} items, and this part ends with item ${getEnd(part)}`,
    );
  const bytes = parts.reduce((sum, each) => sum + each.bytes, part.bytes);
  if (bytes > MAX_BYTES)
    throw new ApiError(
      413,
      `The parts of a job have at most ${MAX_BYTES} bytes together, and with this one they have ${bytes}`,
    );
}

/**
 * Operation submitJob: starts the job with the rights that the caller has now. The hashes prove that the parts are those of one plan
 * and none has changed since it was read.
 */
export async function submitJob(call: Call<'submitJob'>): Promise<{ status: 202; body: Job }> {
  const { db, caller, origin, params, body, services } = call;
  const { siteId } = caller;
  const key = { siteId, jobId: params.jobId };
  const job = await change(db, getActor(call), async (tx, record) => {
    const found = requireOwn(call, await lockJob(tx, siteId, key.jobId), {
      jobId: key.jobId,
      action: 'submit it',
    });
    const parts = await store.listParts(tx, key);
    const isSame = parts.length > 0 && findPartErrors(body.parts, parts).length === 0;
    // The answer to an earlier request may have been lost. An upload that was cancelled has no parts any more.
    if (found.state !== 'uploading' && isSame) return found;
    requireUploading(found);
    const { jobKind, operation } = getKind(call, found.kind);
    authorizeStart({ jobKind, operation }, caller, found.parameters);
    requireAllParts(body.parts, parts);
    await requireDistinctItems(tx, key, jobKind, parts);
    const { parameters, total } = found;
    const title = await describeJob(tx, jobKind, { ...key, parameters, total });
    await store.setSubmitted(tx, key, { owner: toOwner(caller), ip: origin.ip, requestId: origin.requestId });
    record({
      action: 'job.start',
      subject: ['job', key.jobId],
      changes: { title: [null, title], items: [null, total], parts: [null, body.parts] },
    });
    return (await findJob(tx, siteId, key.jobId)) ?? found;
  });
  for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
  return { status: 202, body: toJob(job, services) };
}

/** Differences between the parts of a plan, given by their hashes in order, and the received ones. */
function findPartErrors(hashes: readonly string[], parts: readonly StoredPart[]): FieldError[] {
  const byNumber = new Map(parts.map((part) => [part.part, part]));
  const errors = hashes.flatMap((sha256, index): FieldError[] => {
    const path = `parts.${index}`;
    const number = index + 1;
    const part = byNumber.get(number);
    const previous = byNumber.get(index);
    if (!part) return [{ path, message: `part ${number} is missing` }];
    if (part.sha256 !== sha256)
      return [{ path, message: `part ${number} was received with other content (SHA-256 ${part.sha256})` }];
    // A gap after a missing part is that part.
    const expected = index === 0 ? 1 : previous && getEnd(previous) + 1;
    return expected === undefined || part.firstItem === expected
      ? []
      : [{ path, message: `part ${number} begins with item ${part.firstItem} instead of ${expected}` }];
  });
  const extra = parts.filter(({ part }) => part > hashes.length);
  return [
    ...errors,
    ...extra.map(({ part }) => ({ path: 'parts', message: `part ${part} was received and is not listed` })),
  ];
}

/** @throws ApiError 409 that names the parts which are missing, differ or do not follow each other */
function requireAllParts(hashes: readonly string[], parts: readonly StoredPart[]): void {
  const errors = findPartErrors(hashes, parts);
  const [first] = errors;
  if (!first) return;
  const message = `The received parts are not those of the plan: ${first.message}`;
  const others = errors.length - 1;
  throw conflict(others > 0 ? `${message}, and ${others} more` : message, errors.slice(0, MAX_FIELD_ERRORS));
}

/** @throws ApiError 400 that names the items which contradict an earlier one */
async function requireDistinctItems(
  tx: Tx,
  key: JobKey,
  { uniqueBy }: JobKind,
  parts: readonly StoredPart[],
): Promise<void> {
  if (uniqueBy === undefined) return;
  const repeated = await store.listRepeatedItems(tx, key, {
    property: uniqueBy,
    limit: MAX_FIELD_ERRORS + 1,
  });
  if (repeated.length === 0) return;
  throw badRequest(
    repeated.map(({ itemNo, value }) => {
      const part = parts.findLast(({ firstItem }) => firstItem <= itemNo);
      const path = part && `parts.${part.part - 1}.items.${itemNo - part.firstItem}.${uniqueBy}`;
      return { path: path ?? uniqueBy, message: `${value} occurs twice` };
    }),
  );
}

/**
 * Scheduled task that deletes uploads which nobody continues. It deletes part by part from the last one, so that an upload continued
 * in the meantime finds a complete beginning.
 */
export const createUploadCleanupTask = ({ db }: { db: Db }): ScheduledTask =>
  createItemTask(db, {
    name: 'job uploads',
    intervalMs: CLEANUP_INTERVAL_MS,
    listItems: async () =>
      (await store.listAbandonedJobs(db, ABANDONED_HOURS)).map(({ siteId, jobId }) => ({
        siteId,
        item: String(jobId),
      })),
    runStep: ({ siteId, item }) => deleteAbandonedPart(db, { siteId, jobId: Number(item) }),
  });

/** Deletes the last part of an abandoned upload, or without parts the job. Returns whether there is more to delete. */
const deleteAbandonedPart = (db: Db, key: JobKey): Promise<boolean> =>
  change(db, createHostActor(key.siteId), async (tx, record) => {
    if (!(await store.lockAbandonedJob(tx, key, ABANDONED_HOURS))) return false;
    if (await store.deleteLastPart(tx, key)) return true;
    await store.deleteJob(tx, key);
    record({
      action: 'job.expire',
      subject: ['job', key.jobId],
      changes: { state: ['uploading', null] },
    });
    return false;
  });
