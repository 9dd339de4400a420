import type { SessionIdentity } from '../../api/session-state.ts';
import type { ConfirmedJob } from '../../app/jobs/confirmed-job.ts';
import { createJobStore } from '../../app/jobs/job-store.ts';
import type { BulkAction } from './bulk-request.ts';
import type { Outcome } from './outcome.ts';
import type { PersonChange } from './person.ts';

/** Confirmed change of many users, as stored for resuming after a reload. */
export interface BulkJob extends ConfirmedJob {
  action: BulkAction;
  changes: readonly PersonChange[];
  /** Names of the groups by id, for the report. */
  names: ReadonlyMap<number, string>;
}

const jobStore = createJobStore<Omit<BulkJob, 'changes'>, PersonChange, Outcome>('bulk');

/** Stores a job before it starts. */
export const saveBulkJob = ({ changes, ...job }: BulkJob): Promise<void> => jobStore.save(job, changes);

/** Stores outcomes; users without a stored outcome are checked again before they are changed. */
export const saveBulkOutcomes = (jobId: string, outcomes: readonly Outcome[]): Promise<void> =>
  jobStore.addOutcomes(jobId, outcomes);

/** Loads the user's jobs on this site with their outcomes. */
export async function loadBulkJobs(
  identity: SessionIdentity,
): Promise<{ job: BulkJob; outcomes: Outcome[] }[]> {
  const stored = await jobStore.loadAll(identity);
  return stored.map(({ job, items: changes, outcomes }) => ({ job: { ...job, changes }, outcomes }));
}

export const deleteBulkJob = (id: string): Promise<void> => jobStore.delete(id);
