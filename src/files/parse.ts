import Papa from 'papaparse';
import type { ParseResult } from 'papaparse';
import { unguard } from './csv.ts';

/** A record of the file; `row` counts as a spreadsheet does, the heading being row 1 where nothing stands above it. */
export interface Row {
  row: number;
  cells: readonly string[];
  /** What is wrong with the record itself. */
  broken?: string;
}

export interface Parsed {
  headings: readonly string[];
  rows: readonly Row[];
  separator: string;
}

/** What columns are parted by; others than these can only be chosen. */
const SEPARATORS = [',', ';', '\t', '|'];
const CHUNK = 4 * 1024 * 1024;

/** The separator that the heading uses most, outside of quotes: what people write in cells cannot mislead it. */
function guessSeparator(text: string): string {
  const counts = new Map(SEPARATORS.map((separator) => [separator, 0]));
  let quoted = false;
  // Empty lines may stand above it.
  for (const letter of text.replace(/^[\r\n]+/, '')) {
    if (letter === '"') quoted = !quoted;
    else if (!quoted && (letter === '\n' || letter === '\r')) break;
    const seen = counts.get(letter);
    if (!quoted && seen !== undefined) counts.set(letter, seen + 1);
  }
  return SEPARATORS.reduce((best, one) => ((counts.get(one) ?? 0) > (counts.get(best) ?? 0) ? one : best));
}

/** Spreadsheets take a first line such as `sep=;` as the separator and show the file without it. */
const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]*(?:\r\n?|\n)/i;

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Reads a text as CSV, some megabytes at a time; the apostrophes before formulas are undone (security T19). */
export function parse(
  file: string,
  onProgress: (share: number) => void = () => undefined,
  chosen?: string,
): Parsed {
  const [line = '', said] = SEPARATOR_LINE.exec(file) ?? [];
  const text = file.slice(line.length);
  const separator = chosen ?? said ?? guessSeparator(text);
  const records: string[][] = [];
  const broken = new Map<number, string>();
  Papa.parse<string[]>(text, {
    delimiter: separator,
    chunkSize: CHUNK,
    // The types ask for it; a text is read before this call returns.
    complete: () => undefined,
    chunk({ data, errors, meta }: ParseResult<string[]>) {
      for (const { type, row } of errors) {
        if (type === 'Quotes')
          broken.set(records.length + (row ?? 0), 'A quotation mark is not closed or not doubled');
      }
      for (const record of data) records.push(record.map(unguard));
      onProgress(meta.cursor / text.length);
    },
  });
  return { ...rowsUnder(records, broken), separator };
}

/** The heading of a table, its first row that is not empty, and the rows under it. */
export function rowsUnder(
  records: readonly (readonly string[])[],
  broken: ReadonlyMap<number, string> = new Map(),
): Pick<Parsed, 'headings' | 'rows'> {
  const head = records.findIndex((cells) => !isEmpty(cells));
  const headings = records[head] ?? [];
  const rows: Row[] = [];
  for (const [at, cells] of records.entries()) {
    if (at <= head) continue;
    const fault = broken.get(at) ?? tooMany(cells, headings.length);
    if (fault !== undefined) rows.push({ row: at + 1, cells, broken: fault });
    else if (!isEmpty(cells)) rows.push({ row: at + 1, cells });
  }
  return { headings: headings.map((heading) => heading.trim()), rows };
}

function tooMany(cells: readonly string[], headings: number): string | undefined {
  if (isEmpty(cells.slice(headings))) return undefined;
  return `Has ${cells.length} cells where the heading has ${headings}`;
}
