import { formatCsv } from '../../../contract/rules/tables/csv.ts';

/** Row of the file with its problem. */
interface ProblemRow {
  row: number;
  cells: readonly string[];
  note: string;
}

const ADDED_HEADINGS = ['Row', 'Problem'] as const;

/** Number of the file's own columns, without those that `formatRetryCsv` adds. */
export const countFileColumns = (headings: readonly string[]): number =>
  headings.at(-2) === ADDED_HEADINGS[0] && headings.at(-1) === ADDED_HEADINGS[1]
    ? headings.length - 2
    : headings.length;

/** CSV of these rows as in the file, with their problems, for another import. */
export function formatRetryCsv(headings: readonly string[], rows: readonly ProblemRow[]): string {
  const own = headings.slice(0, countFileColumns(headings));
  return formatCsv([
    [...own, ...ADDED_HEADINGS],
    ...rows.map(({ row, cells, note }) => [...own.map((_, at) => cells[at] ?? ''), String(row), note]),
  ]);
}

/** Note on a column ignored because an earlier column has the same heading. */
export function getDuplicateNote(headings: readonly string[], at: number): string | undefined {
  const heading = headings[at]?.toLowerCase() ?? '';
  const first = headings.findIndex((one) => one.toLowerCase() === heading);
  return heading !== '' && first < at ? 'Another column has this name' : undefined;
}
