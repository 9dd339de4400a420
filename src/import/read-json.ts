import { inWords } from '../export/cells.ts';
import { MOST_CELLS } from './limits.ts';
import { rowsUnder } from './parse.ts';
import type { Table } from './read-table.ts';

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
export function jsonTable(text: string): Table | { fault: string } {
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
