import type { ExportCell } from '../../contract/rules/tables/cells.ts';
import { formatCsvHeading, formatCsvRows } from '../../contract/rules/tables/csv.ts';
import { formatJsonEnd, formatJsonRows } from '../../contract/rules/tables/json.ts';
import { WORKBOOK_MEDIA_TYPE } from '../../contract/rules/tables/workbook-parts.ts';
import { createWorkbook } from '../../contract/rules/tables/write-workbook.ts';
import type { TableInfo } from '../../contract/rules/tables/write-workbook.ts';
import { createZipWriter } from './workbook/zip-writer.fixture.ts';

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
  if (format === 'xlsx') return createWorkbook(table, createZipWriter(WORKBOOK_MEDIA_TYPE));
  return createTextWriter(
    'application/json',
    '',
    (rows, isFirst) => formatJsonRows(columns, rows, isFirst),
    formatJsonEnd,
  );
}
