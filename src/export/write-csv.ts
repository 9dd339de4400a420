import { CSV_START, csvLine } from '../lib/csv.ts';
import { exportColumns } from './columns.ts';
import type { ExportCell, ExportRow, GroupNames } from './columns.ts';

const plain = (cell: ExportCell): string | number => (cell instanceof Date ? cell.toISOString() : cell);

/** The heading of an export as CSV, with the mark that makes spreadsheets read its accents. */
export const csvHead = (federation: boolean): string =>
  CSV_START + csvLine(exportColumns(federation).map(({ heading }) => heading));

/** These people as lines of CSV. */
export function csvRows(rows: readonly ExportRow[], groups: GroupNames, federation: boolean): string {
  const columns = exportColumns(federation);
  return rows.map((row) => csvLine(columns.map(({ cell }) => plain(cell(row, groups))))).join('');
}
