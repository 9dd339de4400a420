import type { ExportCell } from './cells.ts';
import { csvHead, csvRows } from './write-csv.ts';
import { createWorkbook } from './write-xlsx.ts';
import type { Table } from './write-xlsx.ts';
import { isList } from './cells.ts';

export type Format = 'csv' | 'xlsx' | 'json';

export interface Beginning extends Table {
  format: Format;
}

export interface Writer {
  /** Resolves when there is room for more. */
  add: (rows: readonly (readonly ExportCell[])[]) => Promise<void>;
  end: () => Promise<Blob>;
}

// What is a blob is no longer in memory: the browser keeps it on its disk.
const PART = 1024 * 1024;

/** Writes a text piece by piece. */
function textWriter(
  type: string,
  start: string,
  line: (rows: readonly (readonly ExportCell[])[], isFirst: boolean) => string,
  end: (isEmpty: boolean) => string,
): Writer {
  const parts: Blob[] = [];
  let text = start;
  let isEmpty = true;
  const put = () => {
    parts.push(new Blob([text]));
    text = '';
  };
  return {
    add(rows) {
      text += line(rows, isEmpty);
      isEmpty &&= rows.length === 0;
      if (text.length > PART) put();
      return Promise.resolve();
    },
    end() {
      text += end(isEmpty);
      put();
      return Promise.resolve(new Blob(parts, { type }));
    },
  };
}

/** Writes a file piece by piece: in memory is only what is on its way. */
export function createWriter({ format, ...table }: Beginning): Writer {
  const { columns } = table;
  if (format === 'csv') return textWriter('text/csv', csvHead(columns), csvRows, () => '');
  if (format === 'xlsx') return createWorkbook(table);
  return textWriter('application/json', '', (rows, isFirst) => jsonRows(columns, rows, isFirst), jsonEnd);
}

function jsonValue(cell: ExportCell): unknown {
  if (cell === '') return null;
  return typeof cell === 'object' && !isList(cell) && !(cell instanceof Date) ? cell.text : cell;
}

/** These rows as objects by the headings, one a line; all but the first begin with a comma. */
const jsonRows = (
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
const jsonEnd = (isEmpty: boolean): string => (isEmpty ? '[]\n' : '\n]\n');
