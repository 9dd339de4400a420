import { isList } from './cells.ts';
import type { ExportCell } from './cells.ts';

function jsonValue(cell: ExportCell): unknown {
  if (cell === '') return null;
  return typeof cell === 'object' && !isList(cell) && !(cell instanceof Date) ? cell.text : cell;
}

/** These rows as objects by the headings, one a line; all but the first begin with a comma. */
export const jsonRows = (
  columns: readonly { heading: string }[],
  rows: readonly (readonly ExportCell[])[],
  isFirst: boolean,
): string => {
  // As texts: objects put keys that look like numbers first.
  const keys = columns.map(({ heading }) => JSON.stringify(heading));
  return rows
    .map((cells, at) => {
      const values = keys.map((key, place) => `${key}:${JSON.stringify(jsonValue(cells[place] ?? ''))}`);
      return `${isFirst && at === 0 ? '[' : ','}\n{${values.join(',')}}`;
    })
    .join('');
};

/** What stands behind the last row. */
export const jsonEnd = (isEmpty: boolean): string => (isEmpty ? '[]\n' : '\n]\n');
