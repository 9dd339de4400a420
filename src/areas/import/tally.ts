import type { ImportRun } from './run.ts';
import { isThrough } from './keep.ts';
import type { RowResult } from './keep.ts';

/** What is known of a row: what came of it, that it is not known whether it arrived, or that it was not sent. */
export type Known = RowResult['result'] | 'unsure' | 'left';

export const knownOf = ({ results, unsure }: ImportRun, row: number): Known =>
  unsure.has(row) ? 'unsure' : (results.get(row)?.result ?? 'left');

/** How many rows are known to be so. */
export function tally(run: ImportRun): Record<Known, number> & { through: number } {
  const counts = { done: 0, partly: 0, failed: 0, unsure: 0, left: 0, through: 0 };
  for (const { row } of run.rows) {
    counts[knownOf(run, row)] += 1;
    if (isThrough(run.results.get(row))) counts.through += 1;
  }
  return counts;
}
