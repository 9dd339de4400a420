import type { Holder } from '../../api/session-gate.ts';
import type { BulkAction } from './actions.ts';
import type { Outcome } from './outcome.ts';
import type { Change } from './person.ts';
import type { Agreed } from './agreed.ts';
import { createShelf } from '../../app/jobs/shelf.ts';

/** A change of many people that was agreed to, as it is kept for the time after a reload. */
export interface BulkJob extends Agreed {
  action: BulkAction;
  changes: readonly Change[];
  /** The groups of the people by name, for report and inverse. */
  names: ReadonlyMap<number, string>;
}

const shelf = createShelf<Omit<BulkJob, 'changes'>, Change, Outcome>('bulk');

/** Keeps a job before it begins. */
export const keepJob = ({ changes, ...job }: BulkJob): Promise<void> => shelf.put(job, changes);

/** Notes what came of people; who is not noted is read again before anything is done to them twice. */
export const keepOutcomes = (jobId: string, outcomes: readonly Outcome[]): Promise<void> =>
  shelf.note(jobId, outcomes);

/** The jobs that this person began on this site, with what came of them so far. */
export async function keptJobs(holder: Holder): Promise<{ job: BulkJob; outcomes: Outcome[] }[]> {
  const kept = await shelf.whole(holder);
  return kept.map(({ job, items: changes, outcomes }) => ({ job: { ...job, changes }, outcomes }));
}

/** Forgets a job. */
export const dropJob = (id: string): Promise<void> => shelf.drop(id);
