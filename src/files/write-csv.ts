import { CSV_START, csvLine } from './csv.ts';
import { inWords, isList } from './cells.ts';
import type { ExportCell } from './cells.ts';

function plain(cell: ExportCell): string | number {
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'boolean' || isList(cell)) return inWords(cell);
  return typeof cell === 'object' ? cell.text : cell;
}

/** The heading of an export as CSV, with the mark that makes spreadsheets read its accents. */
export const csvHead = (columns: readonly { heading: string }[]): string =>
  CSV_START + csvLine(columns.map(({ heading }) => heading));

/** These rows as lines of CSV. */
export const csvRows = (rows: readonly (readonly ExportCell[])[]): string =>
  rows.map((cells) => csvLine(cells.map(plain))).join('');
