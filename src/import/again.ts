import { toCsv } from '../lib/csv.ts';

/** A row of the file with what is wrong with it. */
interface Faulty {
  row: number;
  cells: readonly string[];
  note: string;
}

const ADDED = ['Row', 'Problem'] as const;

/** How many of these columns are the file's own: not those that stand behind rows which are to be imported again. */
export const ownColumns = (headings: readonly string[]): number =>
  headings.at(-2) === ADDED[0] && headings.at(-1) === ADDED[1] ? headings.length - 2 : headings.length;

/** These rows as they stand in the file, to be imported again. */
export function rowsAgain(headings: readonly string[], rows: readonly Faulty[]): string {
  const own = headings.slice(0, ownColumns(headings));
  return toCsv([
    [...own, ...ADDED],
    ...rows.map(({ row, cells, note }) => [...own.map((_, at) => cells[at] ?? ''), String(row), note]),
  ]);
}
