import type { QueryClient } from '@tanstack/react-query';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { toast } from '../../ui/toast.ts';
import { cacheJob } from './model/jobs.ts';
import { getJobLink, getJobToastKey } from './model/links.ts';

/** Shows a job that the service has just started: a message with a link to its page, and an entry in the job center. */
export function showStartedJob(client: QueryClient, job: Job): void {
  cacheJob(client, job);
  toast({
    key: getJobToastKey(job),
    tone: 'info',
    title: job.title,
    description: 'Runs in the background.',
    link: getJobLink(job),
  });
}
