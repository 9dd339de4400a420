import { formatCsv } from '../../../contract/rules/tables/csv.ts';

/** Row of the file with its problem. */
interface ProblemRow {
  row: number;
  cells: readonly string[];
  note: string;
  /** Id of the item, if it exists already. */
  id?: number | undefined;
}

const ADDED_HEADINGS = ['Row', 'Problem'] as const;

/** Number of the file's own columns, without those that `formatRetryCsv` adds. */
export const countFileColumns = (headings: readonly string[]): number =>
  headings.at(-2) === ADDED_HEADINGS[0] && headings.at(-1) === ADDED_HEADINGS[1]
    ? headings.length - 2
    : headings.length;

/**
 * CSV of these rows as in the file, with their problems, for another import. Rows whose item exists already name its id
 * in the id column, which is added if the file has none.
 */
export function formatRetryCsv(
  headings: readonly string[],
  rows: readonly ProblemRow[],
  idHeading?: string,
): string {
  const file = headings.slice(0, countFileColumns(headings));
  const needsIds = idHeading !== undefined && rows.some(({ id }) => id !== undefined);
  const own = needsIds && !file.includes(idHeading) ? [...file, idHeading] : file;
  const ids = needsIds ? own.indexOf(idHeading) : -1;
  return formatCsv([
    [...own, ...ADDED_HEADINGS],
    ...rows.map(({ row, cells, note, id }) => [
      ...own.map((_, at) =>
        at === ids && id !== undefined ? String(id) : (file[at] !== undefined && cells[at]) || '',
      ),
      String(row),
      note,
    ]),
  ]);
}

/** Note on a column ignored because an earlier column has the same heading. */
export function getDuplicateNote(headings: readonly string[], at: number): string | undefined {
  const heading = headings[at]?.toLowerCase() ?? '';
  const first = headings.findIndex((one) => one.toLowerCase() === heading);
  return heading !== '' && first < at ? 'Another column is called so' : undefined;
}
