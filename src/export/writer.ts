import type { ExportCell } from './cells.ts';
import { csvHead, csvRows } from './write-csv.ts';
import { jsonEnd, jsonRows } from './write-json.ts';
import { createWorkbook } from './write-xlsx.ts';
import type { Table } from './write-xlsx.ts';

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
