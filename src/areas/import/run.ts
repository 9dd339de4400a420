import type { Job } from '../../app/jobs/jobs.ts';
import { createStore, useStore } from '../../ui/store.ts';
import type { About, RowResult } from './keep.ts';
import type { Planned } from './plan.ts';

/** An import that was agreed to, as the page and the tray follow it. */
export interface ImportRun {
  id: string;
  about: About;
  fileName: string;
  /** The sheet of a workbook. */
  sheet?: string | undefined;
  headings: readonly string[];
  state: Job['state'];
  rows: readonly Planned[];
  /** The rows as they stand in the file. */
  cells: ReadonlyMap<number, readonly string[]>;
  results: ReadonlyMap<number, RowResult>;
  /** Rows that were sent and of which no answer came: whether they arrived is looked up before they are sent again. */
  unsure: ReadonlySet<number>;
  /** Why it has stopped by itself. */
  trouble: string | undefined;
  /** What is on its way ends, nothing more is sent; it is kept, over a reload too. */
  pause: () => void;
  goOn: () => void;
}

const runs = createStore<Readonly<Record<string, ImportRun | undefined>>>({});

/** The import of a place in this tab, running or ended; it outlives its page. */
export const useImportRun = (place: string): ImportRun | undefined => useStore(runs)[place];
export const importRun = (place: string): ImportRun | undefined => runs.get()[place];

/** Takes an import off its page; what came of it is still in the tray. */
export const leaveImport = (place: string): void => runs.set({ ...runs.get(), [place]: undefined });

/** Puts an import on its page, in place of one that has ended there; one that waits takes the place of no other. */
export function putRun(run: ImportRun): void {
  const { place } = run.about;
  const before = importRun(place);
  if (!before || before.id === run.id || run.state === 'running') runs.set({ ...runs.get(), [place]: run });
}
