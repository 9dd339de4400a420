/** What makes a spreadsheet take a cell for a formula, full-width forms included (security T19). */
const FORMULA = String.raw`[=+\-@\t\r\n＝＋－＠]`;
// An apostrophe that was there before gets another one, so that taking one away always restores the text.
const RISKY = new RegExp(`^'*${FORMULA}`);
const GUARDED = new RegExp(`^'+${FORMULA}`);

const guard = (text: string): string => (RISKY.test(text) ? `'${text}` : text);

/** Takes away exactly the apostrophe that `toCsv` put before what looks like a formula. */
export const unguard = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);

// A number is no text: it needs no quotes, and -5 is no formula.
const cell = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `"${guard(value).replaceAll('"', '""')}"`;

/** One row as CSV (RFC 4180), with its line end. */
export const csvLine = (row: readonly (string | number)[]): string => `${row.map(cell).join(',')}\r\n`;

/** Before the first row: spreadsheets then read the accents. */
export const CSV_START = '\uFEFF';

/** Rows as CSV that opens as text everywhere: no cell is run as a formula. */
export const toCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  CSV_START + rows.map(csvLine).join('');
