import type { QueryClient } from '@tanstack/react-query';
import type { Holder } from '../../../api/session-gate.ts';
import { takeJob } from '../../../app/jobs/lock.ts';
import { readSchema } from '../model/read-schema.ts';
import { createEntryJob } from './job.ts';
import { keptEntryJobs } from './keep.ts';

/** Puts the changes of entries that a reload interrupted back into the tray, where no other tab has them. */
export async function offerKeptEntryJobs(client: QueryClient, holder: Holder): Promise<void> {
  for (const { job, outcomes } of await keptEntryJobs(holder)) {
    // oxlint-disable-next-line no-await-in-loop -- a handful, in the order in which they were begun
    if (await takeJob(job.id)) createEntryJob(client, job, () => readSchema(client), outcomes).showEnd();
  }
}
