import type { SessionIdentity } from '../../../api/session-state.ts';
import type { ConfirmedJob } from '../../../app/jobs/confirmed-job.ts';
import { createJobStore } from '../../../app/jobs/job-store.ts';
import type { Outcome } from './execute-changes.ts';
import type { EntryChange, Refusal } from './plan.ts';

/** Confirmed change of many entries, as stored for resuming after a reload. */
export interface EntryJob extends ConfirmedJob {
  typeId: number;
  typeName: string;
  changes: readonly EntryChange[];
  /** Entries refused by the dry run, for the report. */
  refused: readonly Refusal[];
}

const jobStore = createJobStore<Omit<EntryJob, 'changes'>, EntryChange, Outcome>('entries');

export const saveEntryJob = ({ changes, ...job }: EntryJob): Promise<void> => jobStore.save(job, changes);

export const saveEntryOutcomes = (jobId: string, outcomes: readonly Outcome[]): Promise<void> =>
  jobStore.addOutcomes(jobId, outcomes);

/** Loads the user's jobs on this site with their outcomes. */
export async function loadEntryJobs(
  identity: SessionIdentity,
): Promise<{ job: EntryJob; outcomes: Outcome[] }[]> {
  const stored = await jobStore.loadAll(identity);
  return stored.map(({ job, items, outcomes }) => ({ job: { ...job, changes: items }, outcomes }));
}

export const deleteEntryJob = (id: string): Promise<void> => jobStore.delete(id);
