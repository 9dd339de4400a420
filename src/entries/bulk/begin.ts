import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../api/generated/types.gen.ts';
import { agree } from '../../bulk/agreed.ts';
import { takeJob } from '../../bulk/lock.ts';
import { readSchema } from '../read-schema.ts';
import { createEntryJob } from './job.ts';
import { keepEntryJob } from './keep.ts';
import type { EntryJob } from './keep.ts';

type Begun = Pick<EntryJob, 'title' | 'typeId' | 'typeName' | 'changes' | 'refused'>;

/** Begins what was agreed to. It is kept first, so that a reload in the first moment loses nothing. */
export async function beginEntryJob(
  client: QueryClient,
  session: Session,
  { title, ...what }: Begun,
): Promise<void> {
  const job: EntryJob = { ...what, ...agree(session, title) };
  await takeJob(job.id);
  // Where the browser keeps nothing (a private window, a full disk), the job ends with its page.
  await keepEntryJob(job).catch(() => undefined);
  void createEntryJob(client, job, () => readSchema(client)).go();
}
