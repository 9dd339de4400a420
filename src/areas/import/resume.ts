import type { QueryClient } from '@tanstack/react-query';
import type { Holder } from '../../api/session-gate.ts';
import { takeJob } from '../../app/jobs/lock.ts';
import { createImport } from './job.ts';
import { keptImports } from './keep.ts';

/** Puts the imports that a reload interrupted back into the tray and on their page, where no other tab has them. */
export async function offerKeptImports(client: QueryClient, holder: Holder): Promise<void> {
  for (const { job, notes } of await keptImports(holder)) {
    // oxlint-disable-next-line no-await-in-loop -- a handful, in the order in which they were begun
    if (await takeJob(job.id)) createImport(client, job, notes).showEnd();
  }
}
