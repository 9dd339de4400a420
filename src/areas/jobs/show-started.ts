import type { QueryClient } from '@tanstack/react-query';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { getJob } from '../../api/generated/sdk/jobs.gen.ts';
import { formatMoment } from '../../lib/dates/dates.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { toast } from '../../ui/toast.ts';
import { cacheJob } from './model/jobs.ts';
import { getJobLink, getJobToastKey } from './model/links.ts';
import { hasEnded } from './model/progress.ts';
import { saveJobFile } from './model/save-job-file.ts';

/**
 * Shows a job that the service has just started: an entry in the job center, and a message with a link to its page. A job
 * of one item usually ends at once, so that only its end is announced.
 */
export function showStartedJob(client: QueryClient, job: Job): void {
  cacheJob(client, job);
  if (job.total === 1 && job.notBefore === null && job.afterJobId === null) void showEndOrStart(client, job);
  else showStart(job);
}

const showStart = (job: Job): void =>
  toast({
    key: getJobToastKey(job),
    tone: 'info',
    title: job.title,
    description: describeStart(job),
    link: getJobLink(job),
  });

const describeStart = ({ notBefore, afterJobId }: Job): string => {
  if (notBefore !== null) return `Starts ${formatMoment(notBefore)}.`;
  return afterJobId === null ? 'Runs in the background.' : `Starts after job ${formatNumber(afterJobId)}.`;
};

/** Delays of the readings that wait for the end of a job of one item; two seconds together. */
const READING_DELAYS_MS = [50, 100, 150, 200, 500, 1_000];

/** Reads the job until it has ended, so that the job center announces the end; after two seconds it shows the start. */
async function showEndOrStart(client: QueryClient, job: Job): Promise<void> {
  if (!(await readUntilEnd(client, job, READING_DELAYS_MS))) showStart(job);
}

/** The job once it has ended; undefined if it has not after these delays, or cannot be read. */
async function readUntilEnd(
  client: QueryClient,
  { id: jobId }: Job,
  delays: readonly number[],
): Promise<Job | undefined> {
  try {
    for (const delayMs of delays) {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const { data } = await getJob({ path: { jobId } });
      cacheJob(client, data);
      if (hasEnded(data)) return data;
    }
  } catch {
    // The job runs whether or not it can be read now.
  }
  return undefined;
}

/** Delays of the readings that wait for a small file; seven seconds together. */
const FILE_DELAYS_MS = [...READING_DELAYS_MS, 1_000, 2_000, 2_000];

/**
 * Shows an export that the service has just started. With `isSaved` its file is saved as soon as it is ready, unless that
 * takes long: then it waits in the job center.
 */
export function showStartedExport(client: QueryClient, job: Job, isSaved: boolean): void {
  cacheJob(client, job);
  if (isSaved) void saveWhenReady(client, job);
  else showStart(job);
}

async function saveWhenReady(client: QueryClient, job: Job): Promise<void> {
  const ended = await readUntilEnd(client, job, FILE_DELAYS_MS);
  if (!ended) showStart(job);
  else if (ended.file) await saveJobFile(ended);
}
