import Papa from 'papaparse';
import type { ParseResult } from 'papaparse';
import { removeFormulaGuard } from '../../../contract/rules/tables/csv.ts';
import type { FileRow, Table } from '../table/table.ts';

type ParsedTable = Pick<Table, 'headings' | 'rows'> & { separator: string };

/** Separators that are detected; others must be chosen. */
const SEPARATORS = [',', ';', '\t', '|'];
const CHUNK_BYTES = 4 * 1024 * 1024;

/** Detects the separator as the most frequent one of the heading outside quotes, which cell texts cannot distort. */
function guessSeparator(text: string): string {
  const counts = new Map(SEPARATORS.map((separator) => [separator, 0]));
  let quoted = false;
  // Skips empty lines above the heading.
  for (const letter of text.replace(/^[\r\n]+/, '')) {
    if (letter === '"') quoted = !quoted;
    else if (!quoted && (letter === '\n' || letter === '\r')) break;
    const count = counts.get(letter);
    if (!quoted && count !== undefined) counts.set(letter, count + 1);
  }
  return SEPARATORS.reduce((best, one) => ((counts.get(one) ?? 0) > (counts.get(best) ?? 0) ? one : best));
}

/** Optional first line that declares the separator: `sep=;`. Spreadsheets do not show it as a row. */
const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]*(?:\r\n?|\n)/i;

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Parses CSV in chunks and removes the apostrophes that guard formulas (security T19). */
export function parseCsv(
  content: string,
  onProgress: (share: number) => void = () => undefined,
  chosenSeparator?: string,
): ParsedTable {
  const [line = '', declaredSeparator] = SEPARATOR_LINE.exec(content) ?? [];
  const text = content.slice(line.length);
  const separator = chosenSeparator ?? declaredSeparator ?? guessSeparator(text);
  const records: string[][] = [];
  const recordErrors = new Map<number, string>();
  Papa.parse<string[]>(text, {
    delimiter: separator,
    chunkSize: CHUNK_BYTES,
    // Required by the types; parsing a string is synchronous.
    complete: () => undefined,
    chunk({ data, errors, meta }: ParseResult<string[]>) {
      for (const { type, row } of errors) {
        if (type === 'Quotes')
          recordErrors.set(records.length + (row ?? 0), 'A quotation mark is not closed or not doubled');
      }
      for (const record of data) records.push(record.map(removeFormulaGuard));
      onProgress(meta.cursor / text.length);
    },
  });
  return { ...splitHeading(records, recordErrors), separator };
}

/** Splits records into the heading, which is the first row that is not empty, and the rows below. */
export function splitHeading(
  records: readonly (readonly string[])[],
  errors: ReadonlyMap<number, string> = new Map(),
): Pick<Table, 'headings' | 'rows'> {
  const head = records.findIndex((cells) => !isEmpty(cells));
  const headings = records[head] ?? [];
  const rows: FileRow[] = [];
  for (const [at, cells] of records.entries()) {
    if (at <= head) continue;
    const error = errors.get(at) ?? findExtraCells(cells, headings.length);
    if (error !== undefined) rows.push({ row: at + 1, cells, error });
    else if (!isEmpty(cells)) rows.push({ row: at + 1, cells });
  }
  return { headings: headings.map((heading) => heading.trim()), rows };
}

function findExtraCells(cells: readonly string[], headings: number): string | undefined {
  if (isEmpty(cells.slice(headings))) return undefined;
  return `Has ${cells.length} cells where the heading has ${headings}`;
}
