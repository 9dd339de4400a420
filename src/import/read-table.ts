import { decode } from './decode.ts';
import type { Encoding } from './decode.ts';
import { parse } from './parse.ts';
import type { Parsed } from './parse.ts';
import { jsonTable } from './read-json.ts';

/** What a file was, as far as a reader wants to know. */
export type Source =
  | { kind: 'text'; separator: string; encoding: Encoding }
  | { kind: 'json' }
  | { kind: 'workbook'; sheet: string; others: number };

export interface Table extends Pick<Parsed, 'headings' | 'rows'> {
  source: Source;
}

/** A list of objects: no heading of a table looks like that. */
const JSON_START = /^\s*\[\s*(?:\{|\]\s*$)/;

const isWorkbook = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b;

/** Reads a file of rows, text or workbook; or why it cannot be read. */
export async function readTable(
  bytes: Uint8Array<ArrayBuffer>,
  onProgress: (share: number) => void,
): Promise<Table | { fault: string }> {
  const table = isWorkbook(bytes) ? await readBook(bytes) : readText(bytes, onProgress);
  if ('fault' in table) return table;
  return table.rows.length === 0 ? { fault: 'The file has a heading and no rows under it.' } : table;
}

function readText(
  bytes: Uint8Array<ArrayBuffer>,
  onProgress: (share: number) => void,
): Table | { fault: string } {
  const { text, encoding } = decode(bytes);
  if (text.trim() === '') return { fault: 'The file is empty.' };
  if (JSON_START.test(text)) return jsonTable(text);
  const { headings, rows, separator } = parse(text, onProgress);
  return { headings, rows, source: { kind: 'text', separator, encoding } };
}

async function readBook(bytes: Uint8Array<ArrayBuffer>): Promise<Table | { fault: string }> {
  // The reader of workbooks is large, and most files are text.
  const { bookTable } = await import('./read-book.ts');
  return bookTable(bytes);
}
