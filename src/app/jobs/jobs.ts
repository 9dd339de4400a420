import { createStore, useStore } from '../../ui/store.ts';

/** Long work that goes on while the person does something else (features 1.15). */
export interface Job {
  id: string;
  title: string;
  state: 'running' | 'done' | 'failed' | 'stopped';
  /** 0 to 1; absent where nobody can tell. */
  progress?: number | undefined;
  /** How far it is, or what came of it, in a sentence. */
  result?: string | undefined;
  /** What can be done with it now, what comes to mind first in front: stop, continue, fetch its report. */
  actions?: readonly JobAction[] | undefined;
  /** The service does it: leaving the page breaks nothing off. */
  goesOnWithout?: boolean | undefined;
  /** Called when it is cleared out of the tray after its end: what was kept of it may go. */
  onClear?: (() => Promise<void>) | undefined;
}

export interface JobAction {
  label: string;
  onSelect: () => void;
}

const store = createStore<readonly Job[]>([]);

/** The jobs of this tab, oldest first. */
export const useJobs = (): readonly Job[] => useStore(store);

/** Puts a job into the tray, or a later state of it in place of the earlier one. */
export function reportJob(job: Job): void {
  const known = store.get().some(({ id }) => id === job.id);
  store.set(known ? store.get().map((old) => (old.id === job.id ? job : old)) : [...store.get(), job]);
}

/** Takes a job out of the tray. */
export const forgetJob = (id: string): void => store.set(store.get().filter((job) => job.id !== id));

/** Whether nothing more comes of a job: what was stopped waits to be continued or discarded. */
export const hasEnded = ({ state }: Job): boolean => state === 'done' || state === 'failed';

/** Takes the jobs that have ended out of the tray, once nothing is kept of them that a reload would bring back. */
export async function clearEndedJobs(): Promise<void> {
  const ended = store.get().filter(hasEnded);
  await Promise.allSettled(ended.flatMap(({ onClear }) => (onClear ? [onClear()] : [])));
  const gone = new Set(ended.map(({ id }) => id));
  store.set(store.get().filter(({ id }) => !gone.has(id)));
}

/** Whether leaving the page would break something off. */
export const hasRunningJobs = (): boolean =>
  store.get().some(({ state, goesOnWithout }) => state === 'running' && !goesOnWithout);
