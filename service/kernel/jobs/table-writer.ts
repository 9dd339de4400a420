/** Writes a table to a file row by row: CSV, XLSX or JSON with the formats of contract/rules/tables. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ExportCell } from '../../../contract/rules/tables/cells.ts';
import { formatCsvHeading, formatCsvRows } from '../../../contract/rules/tables/csv.ts';
import { formatJsonEnd, formatJsonRows } from '../../../contract/rules/tables/json.ts';
import { WORKBOOK_MEDIA_TYPE } from '../../../contract/rules/tables/workbook-parts.ts';
import {
  createWorkbook,
  type TableInfo,
  type ZipWriter,
} from '../../../contract/rules/tables/write-workbook.ts';

export const TABLE_FORMATS = {
  csv: 'text/csv',
  xlsx: WORKBOOK_MEDIA_TYPE,
  json: 'application/json',
} as const;

export type TableFormat = keyof typeof TABLE_FORMATS;
type Rows = readonly (readonly ExportCell[])[];
type Write = (chunk: string | Uint8Array) => Promise<void>;

/** Adds rows to a table. Resolves when more may be added, so that memory holds little of the file. */
export interface TableWriter {
  add(rows: Rows): Promise<void>;
  end(): Promise<void>;
}

/** Creates a writer that passes the bytes of the file to `write`. */
export function createTableWriter(format: TableFormat, table: TableInfo, write: Write): TableWriter {
  const { columns } = table;
  if (format === 'xlsx') return createWorkbook(table, createZipWriter(write));
  let isEmpty = true;
  if (format === 'json')
    return {
      async add(rows) {
        await write(formatJsonRows(columns, rows, isEmpty));
        isEmpty &&= rows.length === 0;
      },
      end: () => write(formatJsonEnd(isEmpty)),
    };
  const start = async () => {
    if (isEmpty) await write(formatCsvHeading(columns));
    isEmpty = false;
  };
  return {
    async add(rows) {
      await start();
      await write(formatCsvRows(rows));
    },
    end: start,
  };
}

/** All archives of the same rows have the same bytes. */
const MTIME = new Date(1980, 0, 1);
/** A tenth of the work of the default level 6; the file becomes a fifth larger. */
const COMPRESSION_LEVEL = 2;

function createZipWriter(write: Write): ZipWriter<void> {
  const zip = new ZipFile();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  zip.on('error', (error) => failure.reject(error));
  const written = (async () => {
    for await (const chunk of zip.outputStream) await write(chunk);
  })();
  // The error is thrown by whatever is written next.
  written.catch((error: unknown) => failure.reject(error));

  function begin(name: string) {
    const stream = new PassThrough();
    zip.addReadStream(stream, name, { mtime: MTIME, compressionLevel: COMPRESSION_LEVEL });
    let size = 0;
    return {
      size: () => size,
      async write(text: string) {
        size += Buffer.byteLength(text);
        if (!stream.write(text)) await Promise.race([once(stream, 'drain'), failure.promise]);
      },
      async end() {
        const ended = once(stream, 'end');
        stream.end();
        await Promise.race([ended, failure.promise]);
      },
    };
  }

  return {
    begin,
    async add(name, text) {
      const file = begin(name);
      await file.write(text);
      await file.end();
    },
    async end() {
      zip.end();
      await Promise.race([written, failure.promise]);
    },
  };
}
