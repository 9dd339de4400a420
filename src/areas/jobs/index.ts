import type { QueryClient } from '@tanstack/react-query';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { getJob } from '../../api/generated/sdk.gen.ts';
import { toast } from '../../ui/toast.ts';
import { cacheJob } from './model/jobs.ts';
import { getJobLink, getJobToastKey } from './model/links.ts';
import { hasEnded } from './model/progress.ts';

/**
 * Shows a job that the service has just started: an entry in the job center, and a message with a link to its page. A job
 * of one item usually ends at once, so that only its end is announced.
 */
export function showStartedJob(client: QueryClient, job: Job): void {
  cacheJob(client, job);
  if (job.total === 1) void showEndOrStart(client, job);
  else showStart(job);
}

const showStart = (job: Job): void =>
  toast({
    key: getJobToastKey(job),
    tone: 'info',
    title: job.title,
    description: 'Runs in the background.',
    link: getJobLink(job),
  });

/** Delays of the readings that wait for the end of a job of one item; two seconds together. */
const READING_DELAYS_MS = [50, 100, 150, 200, 500, 1_000];

/** Reads the job until it has ended, so that the job center announces the end; after two seconds it shows the start. */
async function showEndOrStart(client: QueryClient, { id: jobId, ...job }: Job): Promise<void> {
  try {
    for (const delayMs of READING_DELAYS_MS) {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const { data } = await getJob({ path: { jobId } });
      cacheJob(client, data);
      if (hasEnded(data)) return;
    }
  } catch {
    // The job runs whether or not it can be read now.
  }
  showStart({ id: jobId, ...job });
}

export { SaveJobFileButton } from './JobFile.tsx';
