import { setRunningJobsCheck } from '../../ui/dialog/unsaved-work.ts';
import { createStore, useStore } from '../../ui/store.ts';

/** A long-running task that is listed in the job tray (features 1.15). */
export interface Job {
  id: string;
  title: string;
  state: 'running' | 'done' | 'failed' | 'stopped';
  /** 0 to 1; undefined if unknown. */
  progress?: number | undefined;
  /** Progress or result as a sentence. */
  result?: string | undefined;
  /** Available actions, the most likely one first: stop, continue, download the report. */
  actions?: readonly JobAction[] | undefined;
  /** The job runs in the service, so leaving the page does not interrupt it. */
  runsOnService?: boolean | undefined;
  /** Called when an ended job is cleared from the tray; deletes its stored data. */
  onClear?: (() => Promise<void>) | undefined;
}

export interface JobAction {
  label: string;
  onSelect: () => void;
}

const jobsStore = createStore<readonly Job[]>([]);

/** Returns the jobs of this tab, oldest first. */
export const useJobs = (): readonly Job[] => useStore(jobsStore);

/** Adds a job to the tray or replaces its earlier state. */
export function upsertJob(job: Job): void {
  const isListed = jobsStore.get().some(({ id }) => id === job.id);
  jobsStore.set(
    isListed ? jobsStore.get().map((old) => (old.id === job.id ? job : old)) : [...jobsStore.get(), job],
  );
}

/** Removes a job from the tray. */
export const removeJob = (id: string): void => jobsStore.set(jobsStore.get().filter((job) => job.id !== id));

/** Whether a job has ended; a stopped job can still be continued. */
export const hasEnded = ({ state }: Job): boolean => state === 'done' || state === 'failed';

/** Removes ended jobs from the tray after deleting their stored data, which a reload would restore. */
export async function clearEndedJobs(): Promise<void> {
  const ended = jobsStore.get().filter(hasEnded);
  await Promise.allSettled(ended.flatMap(({ onClear }) => (onClear ? [onClear()] : [])));
  const endedIds = new Set(ended.map(({ id }) => id));
  jobsStore.set(jobsStore.get().filter(({ id }) => !endedIds.has(id)));
}

/** Whether leaving the page would interrupt a job. */
const hasRunningJobs = (): boolean =>
  jobsStore.get().some(({ state, runsOnService }) => state === 'running' && !runsOnService);

setRunningJobsCheck(hasRunningJobs);

/** IndexedDB database of jobs: bulk changes, imports, exported files. */
export const JOB_DATABASE_NAME = 'steward-bulk';

/** Deletes all stored jobs at sign-out, because they contain personal data. Open tabs close the database on request. */
export function deleteStoredJobs(): Promise<void> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.deleteDatabase(JOB_DATABASE_NAME);
      for (const end of ['success', 'error'] as const) request.addEventListener(end, () => resolve());
    } catch {
      // Storage is not available.
      resolve();
    }
  });
}
