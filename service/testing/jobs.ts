/** Running jobs, and uploads of their items, in tests. */
import { createHash } from 'node:crypto';
import type { Job, JobPart } from '../../contract/generated/types.gen.ts';
import { registry } from '../areas/registry.ts';
import type { Db } from '../kernel/db/database.ts';
import type { JobKind } from '../kernel/jobs/job-kind.ts';
import { runDueJobs, type JobContext } from '../kernel/jobs/run-jobs.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import type { ApiClient, Reply } from './calls.ts';
import { contract, services } from './site.ts';

/** What runs jobs as one process does; `kinds` replaces kinds. */
export const createJobContext = (db: Db, kinds: readonly JobKind[] = []): JobContext => ({
  db,
  log: createLog('silent'),
  kinds: new Map([...registry.jobKinds, ...kinds.map((kind) => [kind.kind, kind] as const)]),
  operations: contract.operations,
  publicUrl: services.publicUrl,
});

/** Runs jobs until none is due. */
export const runJobs = (db: Db, kinds?: readonly JobKind[]): Promise<void> =>
  runDueJobs(createJobContext(db, kinds));

/** Starts an export and makes its file. Returns the ended job and the file. @throws Error when the start is refused */
export async function exportFile(
  db: Db,
  api: ApiClient,
  path: string,
  body: object,
): Promise<{ job: Job; text: string }> {
  const started = await api.post<Job>(`jobs/${path}`, body);
  if (started.status !== 202) throw new Error(`The export was refused: ${started.text}`);
  const { dataDir, blobs, storageQuota } = services;
  const files = { dataDir, blobs, storageQuota };
  await runDueJobs({ ...createJobContext(db), files });
  const job = (await api.get<Job>(`jobs/${started.body.id}`)).body;
  if (!job.file) throw new Error(`The export is ${job.state}: ${job.stopReason}`);
  return { job, text: (await api.get(`jobs/${job.id}/file`)).text };
}

/** A part of the items of a job as it is sent. */
export interface UploadPart {
  part: number;
  firstItem: number;
  /** The request body. */
  text: string;
  sha256: string;
}

export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Divides items into parts of `size` items. */
export function divideIntoParts(items: readonly object[], size: number): UploadPart[] {
  const parts: UploadPart[] = [];
  for (let offset = 0; offset < items.length; offset += size) {
    const text = JSON.stringify({ items: items.slice(offset, offset + size) });
    parts.push({ part: parts.length + 1, firstItem: offset + 1, text, sha256: hashText(text) });
  }
  return parts;
}

/** Sends a part of the items of a job. */
export const putPart = <Body = JobPart>(
  api: ApiClient,
  jobId: number,
  { part, firstItem, text, sha256 }: UploadPart,
): Promise<Reply<Body>> =>
  api.put<Body>(`jobs/${jobId}/parts/${part}?firstItem=${firstItem}&sha256=${sha256}`, text);

/**
 * Uploads the items of a job that was started with `uploadsItems`, and submits it. Returns the reply of `submitJob`.
 * @throws Error when a part is refused
 */
export async function uploadItems<Body>(
  api: ApiClient,
  jobId: number,
  items: readonly object[],
  size = 1_000,
): Promise<Reply<Body>> {
  const parts = divideIntoParts(items, size);
  for (const part of parts) {
    const { status, text } = await putPart(api, jobId, part);
    if (status !== 200) throw new Error(`Part ${part.part} was refused: ${text}`);
  }
  return api.post<Body>(`jobs/${jobId}/submit`, { parts: parts.map(({ sha256 }) => sha256) });
}
