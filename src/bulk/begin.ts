import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../api/generated/types.gen.ts';
import type { BulkRequest } from './actions.ts';
import { agree } from './agreed.ts';
import { createJob } from './job.ts';
import { keepJob } from './keep.ts';
import type { BulkJob } from './keep.ts';
import { takeJob } from './lock.ts';
import type { Change } from './person.ts';

interface Begun {
  request: BulkRequest;
  title: string;
  changes: readonly Change[];
  names: ReadonlyMap<number, string>;
}

/** Begins what was agreed to. It is kept first, so that a reload in the first moment loses nothing. */
export async function beginJob(
  client: QueryClient,
  session: Session,
  { request, title, changes, names }: Begun,
): Promise<void> {
  const job: BulkJob = { ...agree(session, title), action: request.action, changes, names };
  await takeJob(job.id);
  // Where the browser keeps nothing (a private window, a full disk), the job ends with its page.
  await keepJob(job).catch(() => undefined);
  void createJob(client, job).go();
  request.onBegin?.();
}
