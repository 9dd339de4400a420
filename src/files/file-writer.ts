import { formatCsvHeading, formatCsvRows } from './csv/csv.ts';
import type { ExportCell } from './table/cells.ts';
import { isListCell } from './table/cells.ts';
import { createWorkbook } from './workbook/write-workbook.ts';
import type { TableInfo } from './workbook/write-workbook.ts';

export type FileFormat = 'csv' | 'xlsx' | 'json';

export interface FileWriterOptions extends TableInfo {
  format: FileFormat;
}

/** Writes the rows of one file. */
export interface FileWriter {
  /** Adds rows; resolves when more can be added. */
  add: (rows: readonly (readonly ExportCell[])[]) => Promise<void>;
  end: () => Promise<Blob>;
}

// The browser stores blobs on disk.
const MAX_PENDING_LENGTH = 1024 * 1024;

/** Creates a writer of a text format. */
function createTextWriter(
  type: string,
  start: string,
  line: (rows: readonly (readonly ExportCell[])[], isFirst: boolean) => string,
  end: (isEmpty: boolean) => string,
): FileWriter {
  const parts: Blob[] = [];
  let text = start;
  let isEmpty = true;
  const flush = () => {
    parts.push(new Blob([text]));
    text = '';
  };
  return {
    add(rows) {
      text += line(rows, isEmpty);
      isEmpty &&= rows.length === 0;
      if (text.length > MAX_PENDING_LENGTH) flush();
      return Promise.resolve();
    },
    end() {
      text += end(isEmpty);
      flush();
      return Promise.resolve(new Blob(parts, { type }));
    },
  };
}

/** Creates a writer that keeps little of the file in memory. */
export function createFileWriter({ format, ...table }: FileWriterOptions): FileWriter {
  const { columns } = table;
  if (format === 'csv')
    return createTextWriter('text/csv', formatCsvHeading(columns), formatCsvRows, () => '');
  if (format === 'xlsx') return createWorkbook(table);
  return createTextWriter(
    'application/json',
    '',
    (rows, isFirst) => formatJsonRows(columns, rows, isFirst),
    formatJsonEnd,
  );
}

function toJsonValue(cell: ExportCell): unknown {
  if (cell === '') return null;
  return typeof cell === 'object' && !isListCell(cell) && !(cell instanceof Date) ? cell.text : cell;
}

/** Formats rows as JSON objects with the headings as keys, one per line; all but the first start with a comma. */
const formatJsonRows = (
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
const formatJsonEnd = (isEmpty: boolean): string => (isEmpty ? '[]\n' : '\n]\n');
