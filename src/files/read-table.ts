import { decode } from './decode.ts';
import type { Encoding } from './decode.ts';
import { parse, rowsUnder } from './parse.ts';
import type { Parsed } from './parse.ts';
import type { bookTable } from './read-book.ts';
import { inWords } from './cells.ts';
import { MOST_CELLS } from './limits.ts';

/** What a file was, as far as a reader wants to know. */
export type Source =
  | { kind: 'text'; separator: string; encoding: Encoding }
  | { kind: 'json' }
  | { kind: 'workbook'; sheet: number; sheets: readonly Sheet[] };

/** A sheet of a workbook; `rows` are those under its heading. */
export interface Sheet {
  name: string;
  rows: number;
  isHidden: boolean;
}

/** How a file is read, where somebody said so: which sheet of a workbook, of a text by what it is parted and encoded. */
export interface Reading {
  sheet?: number;
  separator?: string;
  encoding?: Encoding;
}

export interface Table extends Pick<Parsed, 'headings' | 'rows'> {
  source: Source;
}

/** An object or a list of them: no heading of a table looks like that. */
const JSON_START = /^\s*(?:\{\s*"|\[\s*(?:\{|\]\s*$))/;

const OLD_BOOK = [0xd0, 0xcf, 0x11, 0xe0];
const isOldBook = (bytes: Uint8Array): boolean => OLD_BOOK.every((byte, at) => bytes[at] === byte);

const isWorkbook = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b;

/** Reads a file of rows, text or workbook; or why it cannot be read. */
export async function readTable(
  file: Blob,
  onProgress: (share: number) => void,
  as: Reading = {},
): Promise<Table | { fault: string }> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const table = isWorkbook(start)
    ? await readBook(file, onProgress, as.sheet)
    : readText(new Uint8Array(await file.arrayBuffer()), onProgress, as);
  if ('fault' in table || table.rows.length > 0) return table;
  // Another sheet of it can be chosen.
  const isOneOf = table.source.kind === 'workbook' && table.source.sheets.some(({ rows }) => rows > 0);
  return isOneOf ? table : { fault: 'The file has a heading and no rows under it.' };
}

function readText(
  bytes: Uint8Array<ArrayBuffer>,
  onProgress: (share: number) => void,
  as: Reading,
): Table | { fault: string } {
  if (isOldBook(bytes))
    return {
      fault: 'This is a workbook of the old kind (.xls) or a protected one. Save it as XLSX or as CSV.',
    };
  const { text, encoding } = decode(bytes, as.encoding);
  // Every byte is a letter of Windows-1252, but no text has this one.
  if (encoding === 'windows-1252' && text.includes('\0'))
    return { fault: 'This is neither a text nor a workbook. Choose a CSV, XLSX or JSON file.' };
  if (text.trim() === '') return { fault: 'The file is empty.' };
  if (JSON_START.test(text)) return jsonTable(text);
  const { headings, rows, separator } = parse(text, onProgress, as.separator);
  return { headings, rows, source: { kind: 'text', separator, encoding } };
}

async function readBook(...asked: Parameters<typeof bookTable>): Promise<Table | { fault: string }> {
  // The reader of workbooks is large, and most files are text.
  const { bookTable: read } = await import('./read-book.ts');
  return read(...asked);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as the text that a CSV file would have; what is no cell is shown as it stands. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return inWords(value);
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number');
  return isList ? inWords(value) : JSON.stringify(value);
}

/** Reads a list of objects, each of which is a row under the names of its values. */
function jsonTable(text: string): Table | { fault: string } {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    return { fault: 'This begins as JSON and is none. Look at its end: it may have been cut off.' };
  }
  if (!Array.isArray(rows) || !rows.every(isObject))
    return { fault: 'A JSON file has to be a list of objects, one for each row.' };
  if (rows.length === 0) return { fault: 'The list of the file is empty.' };
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  const headings = [...names];
  if (headings.length * rows.length > MOST_CELLS)
    return { fault: 'Its objects have too many different names for a table. Split it into several files.' };
  const values = rows.map((row) => new Map<string, unknown>(Object.entries(row)));
  const records = values.map((row) => headings.map((heading) => cellText(row.get(heading))));
  return { ...rowsUnder([headings, ...records]), source: { kind: 'json' } };
}
