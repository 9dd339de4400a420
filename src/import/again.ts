import { toCsv } from '../lib/csv.ts';

/** A row of the file with what is wrong with it. */
interface Faulty {
  row: number;
  cells: readonly string[];
  note: string;
}

/** These rows as they stand in the file, to be imported again. */
export const rowsAgain = (headings: readonly string[], rows: readonly Faulty[]): string =>
  toCsv([
    [...headings, 'Row', 'Problem'],
    ...rows.map(({ row, cells, note }) => [...headings.map((_, at) => cells[at] ?? ''), String(row), note]),
  ]);
