import type { QueryClient } from '@tanstack/react-query';
import type { Holder } from '../../api/session-gate.ts';
import { watchOn } from '../backups/download/watch.ts';
import { offerKeptEntryJobs } from '../entries/bulk/resume.ts';
import { offerKeptImports } from '../import/resume.ts';
import { createJob } from './job.ts';
import { keptJobs } from './keep.ts';
import { takeJob } from '../../app/jobs/lock.ts';

/** Puts the jobs that a reload interrupted back into the tray, where no other tab has them. */
export async function offerKeptJobs(client: QueryClient, holder: Holder): Promise<void> {
  watchOn(client);
  for (const { job, outcomes } of await keptJobs(holder)) {
    // oxlint-disable-next-line no-await-in-loop -- a handful, in the order in which they were begun
    if (await takeJob(job.id)) createJob(client, job, outcomes).showEnd();
  }
  await offerKeptEntryJobs(client, holder);
  await offerKeptImports(client, holder);
}
