import type { Holder } from '../../../api/session-gate.ts';
import type { Agreed } from '../../bulk/agreed.ts';
import { createShelf } from '../../../app/jobs/shelf.ts';
import type { Outcome } from './perform.ts';
import type { EntryChange, Refusal } from './plan.ts';

/** A change of many entries that was agreed to, as it is kept for the time after a reload. */
export interface EntryJob extends Agreed {
  typeId: number;
  typeName: string;
  changes: readonly EntryChange[];
  /** Who was left alone already when it was agreed to, for the report. */
  refused: readonly Refusal[];
}

const shelf = createShelf<Omit<EntryJob, 'changes'>, EntryChange, Outcome>('entries');

export const keepEntryJob = ({ changes, ...job }: EntryJob): Promise<void> => shelf.put(job, changes);

export const keepEntryOutcomes = (jobId: string, outcomes: readonly Outcome[]): Promise<void> =>
  shelf.note(jobId, outcomes);

/** The jobs that this person began on this site, with what came of them so far. */
export async function keptEntryJobs(holder: Holder): Promise<{ job: EntryJob; outcomes: Outcome[] }[]> {
  const kept = await shelf.whole(holder);
  return kept.map(({ job, items: changes, outcomes }) => ({ job: { ...job, changes }, outcomes }));
}

export const dropEntryJob = (id: string): Promise<void> => shelf.drop(id);
