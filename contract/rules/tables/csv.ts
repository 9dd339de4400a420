import { formatCellText, isListCell } from './cells.ts';
import type { ExportCell } from './cells.ts';

/** Characters at the start of a cell that spreadsheets treat as a formula, including full-width forms (security T19). */
const FORMULA_START = String.raw`[=+\-@\t\r\n＝＋－＠]`;
// A text that already starts with apostrophes gets another one, so that removing one always restores it.
const NEEDS_GUARD = new RegExp(`^'*${FORMULA_START}`);
const GUARDED = new RegExp(`^'+${FORMULA_START}`);

const addFormulaGuard = (text: string): string => (NEEDS_GUARD.test(text) ? `'${text}` : text);

/** Removes the apostrophe that `formatCsv` puts before a text that looks like a formula. */
export const removeFormulaGuard = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);

// Numbers need neither quotes nor a guard: -5 is not a formula.
const formatCsvValue = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `"${escapeQuotes(addFormulaGuard(value))}"`;

const escapeQuotes = (text: string): string => (text.includes('"') ? text.replaceAll('"', '""') : text);

/** Formats a row as CSV (RFC 4180) with its line end. */
export const formatCsvRow = (row: readonly (string | number)[]): string =>
  `${row.map(formatCsvValue).join(',')}\r\n`;

/** Byte order mark before the first row, so that spreadsheets read the file as UTF-8. */
const UTF8_BOM = '\uFEFF';

/** Formats rows as CSV in which no cell is executed as a formula. */
export const formatCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  UTF8_BOM + rows.map(formatCsvRow).join('');

function toCsvValue(cell: ExportCell): string | number {
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'boolean' || isListCell(cell)) return formatCellText(cell);
  return typeof cell === 'object' ? cell.text : cell;
}

/** Formats a cell of an export as CSV. */
export const formatCsvCell = (cell: ExportCell): string =>
  formatCsvValue(typeof cell === 'object' || typeof cell === 'boolean' ? toCsvValue(cell) : cell);

/** Formats the heading of an export as CSV, with the byte order mark. */
export const formatCsvHeading = (columns: readonly { heading: string }[]): string =>
  UTF8_BOM + formatCsvRow(columns.map(({ heading }) => heading));

/** Formats rows of an export as CSV. */
export function formatCsvRows(rows: readonly (readonly ExportCell[])[]): string {
  // Appends to one text: lists of the texts of each row took as long as the rest.
  let text = '';
  for (const cells of rows) {
    let separator = '';
    for (const cell of cells) {
      text += separator + formatCsvCell(cell);
      separator = ',';
    }
    text += '\r\n';
  }
  return text;
}
