import type { Job } from '../../../app/jobs/jobs.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import type { ImportDescription, RowResult } from './job-store.ts';
import { isFinished } from './job-store.ts';

/** Import in this tab, as shown by its page and the job center. */
export interface ImportRun {
  id: string;
  description: ImportDescription;
  fileName: string;
  /** Worksheet of a workbook. */
  sheet?: string | undefined;
  headings: readonly string[];
  state: Job['state'];
  rows: readonly ImportRowPlan[];
  /** Cells of the rows as in the file, by row number. */
  cells: ReadonlyMap<number, readonly string[]>;
  results: ReadonlyMap<number, RowResult>;
  /** Rows sent without an answer; before they are sent again it is checked whether they were stored. */
  uncertainRows: ReadonlySet<number>;
  /** Error that stopped it. */
  error: string | undefined;
  /** Sends nothing more; requests already sent complete. A paused import survives a reload. */
  pause: () => void;
  resume: () => void;
}

const runs = createStore<Readonly<Record<string, ImportRun | undefined>>>({});

/** The import with this key in this tab, running or ended; it outlives its page. */
export const useImportRun = (runKey: string): ImportRun | undefined => useStore(runs)[runKey];
export const getImportRun = (runKey: string): ImportRun | undefined => runs.get()[runKey];

/** Removes an import from its page; its report remains in the job center. */
export const removeImportRun = (runKey: string): void => runs.set({ ...runs.get(), [runKey]: undefined });

/** Shows an import on its page unless another import that has not ended is shown there. */
export function setImportRun(run: ImportRun): void {
  const { runKey } = run.description;
  const before = getImportRun(runKey);
  if (!before || before.id === run.id || run.state === 'running') runs.set({ ...runs.get(), [runKey]: run });
}

/** Status of a row: its result, sent without an answer, or not sent. */
export type RowStatus = RowResult['result'] | 'uncertain' | 'pending';

export const getRowStatus = ({ results, uncertainRows }: ImportRun, row: number): RowStatus =>
  uncertainRows.has(row) ? 'uncertain' : (results.get(row)?.result ?? 'pending');

/** Number of rows by status. */
export function countRows(run: ImportRun): Record<RowStatus, number> & { finished: number } {
  const counts = { done: 0, partly: 0, failed: 0, uncertain: 0, pending: 0, finished: 0 };
  for (const { row } of run.rows) {
    counts[getRowStatus(run, row)] += 1;
    if (isFinished(run.results.get(row))) counts.finished += 1;
  }
  return counts;
}
