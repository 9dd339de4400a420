import type { Job, JobPart, JobPartItems } from '../../../contract/generated/types.gen.ts';
import { isUnreachable, toServiceError, unreachableError } from '../../api/errors.ts';
import { cancelJob, putJobPart, submitJob } from '../../api/generated/sdk/jobs.gen.ts';

/** When a job starts that does not start now. */
export interface StartOptions {
  /** ISO 8601. */
  notBefore?: string;
  afterJobId?: number;
}

/** Item of a job whose items are sent in parts. */
export type UploadItem = JobPartItems['items'][number];

/** Items of one part of a job with the hash of its request body. */
export interface UploadPart {
  items: readonly UploadItem[];
  /** Number of the first item in the job, from 1. */
  firstItem: number;
  sha256: string;
}

/** Most items of a request, and of a job (contract, putJobPart). */
const MAX_REQUEST_ITEMS = 100_000;
export const MAX_JOB_ITEMS = 1_000_000;
/** Largest request that starts a job (x-max-body). */
const MAX_REQUEST_BYTES = 8_388_608;
/** Below the limit of putJobPart (8 MiB), so that progress is seen and a retry is cheap. */
const MAX_PART_BYTES = 2 * 1024 * 1024;
/** The service checks a part while it stores the one before. */
const PARTS_AT_ONCE = 2;

const encoder = new TextEncoder();

/** Whether a request that starts a job may have all its items; otherwise they are sent in parts. */
export const fitsIntoRequest = (body: object, itemCount: number): boolean =>
  itemCount <= MAX_REQUEST_ITEMS && encoder.encode(JSON.stringify(body)).length <= MAX_REQUEST_BYTES;

/** Divides items into the parts that are sent. */
export async function splitIntoParts(items: readonly UploadItem[]): Promise<UploadPart[]> {
  const parts: UploadPart[] = [];
  let firstItem = 1;
  let partItems: UploadItem[] = [];
  let bytes = 0;
  const closePart = async () => {
    if (partItems.length === 0) return;
    parts.push({ items: partItems, firstItem, sha256: await hash(JSON.stringify({ items: partItems })) });
    firstItem += partItems.length;
    [partItems, bytes] = [[], 0];
  };
  for (const item of items) {
    const length = encoder.encode(JSON.stringify(item)).length;
    // A part at a time: hashing gives the page a pause.
    if (bytes + length > MAX_PART_BYTES || partItems.length === MAX_REQUEST_ITEMS) await closePart();
    partItems.push(item);
    bytes += length + 1;
  }
  await closePart();
  return parts;
}

/**
 * Sends the parts that the service does not have yet, and starts the job.
 * @param onProgress share of the parts that have arrived, 0 to 1
 * @throws ServiceError when a part does not arrive; the same call with the received parts continues there
 */
export async function uploadParts(
  { id: jobId }: Pick<Job, 'id'>,
  parts: readonly UploadPart[],
  {
    received = [],
    onProgress,
  }: { received?: readonly Pick<JobPart, 'part'>[]; onProgress: (share: number) => void },
): Promise<Job> {
  const numbers = new Set(received.map(({ part }) => part));
  let arrived = numbers.size;
  onProgress(arrived / parts.length);
  const missing = parts.entries().filter(([at]) => !numbers.has(at + 1));
  const send = async () => {
    // One iterator for all senders: one that fails ends it, so that the others send no more.
    for (const [at, { sha256, firstItem, items }] of missing) {
      await putJobPart({
        path: { jobId, part: at + 1 },
        query: { firstItem, sha256 },
        body: { items: [...items] },
      });
      arrived += 1;
      onProgress(arrived / parts.length);
    }
  };
  // Settled: no part is still arriving when the caller cancels the job.
  const results = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, send));
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    // A part starts nothing, also if it arrived.
    throw toServiceError(result.reason).status === 0 ? unreachableError() : result.reason;
  }
  const submit = async () =>
    (await submitJob({ path: { jobId }, body: { parts: parts.map(({ sha256 }) => sha256) } })).data;
  return submit().catch((thrown: unknown) => {
    // The job may have started: the same request again answers the same, and the caller would start another one.
    if (isUnreachable(toServiceError(thrown))) return submit();
    throw thrown;
  });
}

/**
 * Starts a job whose items do not fit into one request. A part that does not arrive cancels it, so that nothing is changed.
 * @throws ServiceError
 */
export async function startInParts(
  start: () => Promise<Job>,
  items: readonly UploadItem[],
  onProgress: (share: number) => void,
): Promise<Job> {
  const parts = await splitIntoParts(items);
  const job = await start();
  try {
    return await uploadParts(job, parts, { onProgress });
  } catch (thrown) {
    // Otherwise the service removes the parts after a day.
    await cancelJob({ path: { jobId: job.id } }).catch(() => undefined);
    throw thrown;
  }
}

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
