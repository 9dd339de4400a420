import { formatCsv } from '../../../contract/rules/tables/csv.ts';
import { countFileColumns, PROBLEM_HEADINGS } from '../../../contract/rules/tables/problem-columns.ts';

/** Row of the file with its problem. */
interface ProblemRow {
  row: number;
  cells: readonly string[];
  note: string;
}

/** CSV of these rows as in the file, with their problems, for another import. */
export function formatRetryCsv(headings: readonly string[], rows: readonly ProblemRow[]): string {
  const own = headings.slice(0, countFileColumns(headings));
  return formatCsv([
    [...own, ...PROBLEM_HEADINGS],
    ...rows.map(({ row, cells, note }) => [...own.map((_, at) => cells[at] ?? ''), String(row), note]),
  ]);
}

/** Note on a column ignored because an earlier column has the same heading. */
export function getDuplicateNote(headings: readonly string[], at: number): string | undefined {
  const heading = headings[at]?.toLowerCase() ?? '';
  const first = headings.findIndex((one) => one.toLowerCase() === heading);
  return heading !== '' && first < at ? 'Another column has this name' : undefined;
}

/** Assigns a field to a column. A field belongs to one column, so it is removed from the other. */
export const assignColumn = <Field>(
  mapping: readonly (Field | undefined)[],
  at: number,
  field: Field | undefined,
): (Field | undefined)[] =>
  mapping.map((old, other) => (other === at ? field : old === field ? undefined : old));
