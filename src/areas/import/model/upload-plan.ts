import type { Job, JobPart } from '../../../../contract/generated/types.gen.ts';
import { cancelJob, listJobParts, listJobs } from '../../../api/generated/sdk/jobs.gen.ts';
import { splitIntoParts, uploadParts } from '../../../app/jobs/upload-items.ts';
import type { UploadItem, UploadPart } from '../../../app/jobs/upload-items.ts';

/** Item of a job that imports a file. */
export type ImportItem = UploadItem;

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

/**
 * Sends the items in parts and starts their job. An upload of the same file that was interrupted is continued with the parts that are
 * missing. @throws ServiceError when a part does not arrive; the same call continues there
 */
export async function uploadPlan(upload: ImportUpload): Promise<Job> {
  const { items, start, onProgress } = upload;
  const parts = await splitIntoParts(items);
  const { job, received } = (await resumeUpload(upload, parts)) ?? { job: await start(), received: [] };
  return uploadParts(job, parts, { received, onProgress });
}

/** An interrupted upload of the same file with the parts that arrived; one of another plan is dropped. */
async function resumeUpload(
  { kind, identifiedBy, onChanged }: ImportUpload,
  parts: readonly UploadPart[],
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
