import type { Job, JobPart, JobPartItems } from '../../../../contract/generated/types.gen.ts';
import { cancelJob, listJobParts, listJobs, putJobPart, submitJob } from '../../../api/generated/sdk.gen.ts';

/** Item of a job that imports a file. */
export type ImportItem = JobPartItems['items'][number];

/** A confirmed import, as the service takes it. */
export interface ImportUpload {
  kind: Job['kind'];
  /** Parameters by which an upload that was interrupted is found again. */
  identifiedBy: Readonly<Record<string, unknown>>;
  items: readonly ImportItem[];
  /** Starts the job without its items, which follow in parts. */
  start: () => Promise<Job>;
  /** Share of the parts that the service has, 0 to 1. */
  onProgress: (share: number) => void;
  /** Called when an earlier upload of the file is dropped because the plan is another one now. */
  onChanged: () => void;
}

interface Part {
  items: readonly ImportItem[];
  /** Number of the first item in the job, from 1. */
  firstItem: number;
  sha256: string;
}

/** Below the limit of the operation (8 MiB), so that progress is seen and a retry is cheap. */
const MAX_PART_BYTES = 2 * 1024 * 1024;
/** Limit of the operation. */
const MAX_PART_ITEMS = 100_000;

/**
 * Sends the items in parts and starts their job. An upload of the same file that was interrupted is continued with the parts that are
 * missing. @throws ServiceError when a part does not arrive; the same call continues there
 */
export async function uploadPlan(upload: ImportUpload): Promise<Job> {
  const { items, start, onProgress } = upload;
  const parts = await splitIntoParts(items);
  const { job, received } = (await resumeUpload(upload, parts)) ?? { job: await start(), received: [] };
  const numbers = new Set(received.map(({ part }) => part));
  let arrived = numbers.size;
  onProgress(arrived / parts.length);
  for (const [at, { sha256, firstItem, items: partItems }] of parts.entries()) {
    if (numbers.has(at + 1)) continue;
    // One after the other: the service stores the parts of a job so.
    await putJobPart({
      path: { jobId: job.id, part: at + 1 },
      query: { firstItem, sha256 },
      body: { items: [...partItems] },
    });
    arrived += 1;
    onProgress(arrived / parts.length);
  }
  const { data } = await submitJob({
    path: { jobId: job.id },
    body: { parts: parts.map(({ sha256 }) => sha256) },
  });
  return data;
}

/** An interrupted upload of the same file with the parts that arrived; one of another plan is dropped. */
async function resumeUpload(
  { kind, identifiedBy, onChanged }: ImportUpload,
  parts: readonly Part[],
): Promise<{ job: Job; received: readonly JobPart[] } | undefined> {
  const { data: uploads } = await listJobs({ query: { state: 'uploading' } });
  const job = uploads.find(
    ({ kind: other, parameters }) =>
      other === kind && Object.entries(identifiedBy).every(([name, value]) => parameters[name] === value),
  );
  if (!job) return undefined;
  const { data: received } = await listJobParts({ path: { jobId: job.id } });
  const isSame = received.every(({ part, sha256 }) => parts[part - 1]?.sha256 === sha256);
  if (isSame) return { job, received };
  onChanged();
  await cancelJob({ path: { jobId: job.id } });
  return undefined;
}

const encoder = new TextEncoder();

async function splitIntoParts(items: readonly ImportItem[]): Promise<Part[]> {
  const parts: Part[] = [];
  let firstItem = 1;
  let partItems: ImportItem[] = [];
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
    if (bytes + length > MAX_PART_BYTES || partItems.length === MAX_PART_ITEMS) await closePart();
    partItems.push(item);
    bytes += length + 1;
  }
  await closePart();
  return parts;
}

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
