import type { ExportCell } from './cells.ts';
import { isListCell } from './cells.ts';

function toJsonValue(cell: ExportCell): unknown {
  if (cell === '') return null;
  return typeof cell === 'object' && !isListCell(cell) && !(cell instanceof Date) ? cell.text : cell;
}

/** Formats rows as JSON objects with the headings as keys, one per line; all but the first start with a comma. */
export const formatJsonRows = (
  columns: readonly { heading: string }[],
  rows: readonly (readonly ExportCell[])[],
  isFirst: boolean,
): string => {
  // Written as text, because objects move number-like keys to the front.
  const keys = columns.map(({ heading }) => JSON.stringify(heading));
  return rows
    .map((cells, at) => {
      const values = keys.map((key, place) => `${key}:${JSON.stringify(toJsonValue(cells[place] ?? ''))}`);
      return `${isFirst && at === 0 ? '[' : ','}\n{${values.join(',')}}`;
    })
    .join('');
};

/** Formats the text after the last row. */
export const formatJsonEnd = (isEmpty: boolean): string => (isEmpty ? '[]\n' : '\n]\n');
