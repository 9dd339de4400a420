import type { Job, JobPart } from '../../../../contract/generated/types.gen.ts';
import { isUnreachable } from '../../../api/errors.ts';
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

/** Jobs that have all parts and whose start got no answer, by their plan. */
const unansweredJobs = new Map<string, Job>();

/**
 * Sends the items in parts and starts their job. An upload of the same file that was interrupted is continued with the parts that are
 * missing. @throws ServiceError when a part does not arrive; the same call continues there, and imports nothing twice if the job has
 * started without an answer
 */
export async function uploadPlan(upload: ImportUpload): Promise<Job> {
  const { kind, identifiedBy, items, start, onProgress } = upload;
  const parts = await splitIntoParts(items);
  const plan = JSON.stringify([kind, identifiedBy, parts.map(({ sha256 }) => sha256)]);
  const { job, received } = getUnansweredUpload(plan, parts) ??
    (await resumeUpload(upload, parts)) ?? { job: await start(), received: [] };
  unansweredJobs.delete(plan);
  let share = 0;
  const report = (next: number) => {
    share = next;
    onProgress(next);
  };
  try {
    return await uploadParts(job, parts, { received, onProgress: report });
  } catch (thrown) {
    if (share === 1 && isUnreachable(thrown)) unansweredJobs.set(plan, job);
    throw thrown;
  }
}

/** A job of the plan that may have started: the service answers the same start again with the job as it is. */
function getUnansweredUpload(plan: string, parts: readonly UploadPart[]) {
  const job = unansweredJobs.get(plan);
  return job && { job, received: parts.map((_, at) => ({ part: at + 1 })) };
}

/** An interrupted upload of the same file with the parts that arrived; one of another plan is dropped. */
async function resumeUpload(
  { kind, identifiedBy, onChanged }: ImportUpload,
  parts: readonly UploadPart[],
): Promise<{ job: Job; received: readonly Pick<JobPart, 'part'>[] } | undefined> {
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
