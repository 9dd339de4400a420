/** What exports of tables have in common: the title of the job, writing the rows page by page, and the record of the export. */
import type { ExportCell } from '../../../contract/rules/tables/cells.ts';
import { formatCsvHeading } from '../../../contract/rules/tables/csv.ts';
import { buildFileName } from '../../../contract/rules/tables/file-name.ts';
import { formatJsonEnd } from '../../../contract/rules/tables/json.ts';
import type { FileBatch, ProducedFile } from './job-kind.ts';
import { shortenTitle } from './job-texts.ts';
import { createTableWriter, TABLE_FORMATS, type TableFormat } from './table-writer.ts';

/** Title of an export: `Export Companies as CSV: City is Hamburg`. */
export function describeExport(
  name: string,
  { format, filterText }: { format: TableFormat; filterText?: string | undefined },
): string {
  return shortenTitle(`Export ${name} as ${format.toUpperCase()}${filterText ? `: ${filterText}` : ''}`);
}

/** A column of an exported table whose rows are read in pages. */
export interface ExportColumn<Row, Page> {
  heading: string;
  /** Column width of a worksheet, in characters. */
  width: number;
  cell: (row: Row, page: Page) => ExportCell;
}

/** Everything that the file of a table, its worksheet "About" and its row of the activity report say. */
export interface TableDescription {
  format: TableFormat;
  columns: readonly { heading: string; width: number }[];
  /** Subject in the activity report and prefix of the file name: `users`. */
  subject: string;
  /** What the rows are, also the name of the worksheet: `Users`. */
  type: string;
  /** The filter in words; undefined for all rows. */
  filterText: string | undefined;
  /** Replaces the filter on the worksheet "About" where there is none. */
  unfilteredText: string;
  /** How the rows were read. */
  note: string;
  /** Moment of the rows. */
  at: Date;
  /** Day of the file name. */
  day?: string;
  /** Number of rows as known before they are read. */
  total: number;
  /** Names of the exported fields for the activity report; by default the headings. */
  fields?: readonly string[];
  /** Further properties of the row of the activity report. */
  detail?: object;
}

interface TableExport<Row, Page extends { rows: readonly Row[] }> extends TableDescription {
  columns: readonly ExportColumn<Row, Page>[];
  pages: AsyncIterable<Page>;
}

/** Writes a table to the file of a job. */
export async function writeTable<Row, Page extends { rows: readonly Row[] }>(
  batch: FileBatch<object>,
  table: TableExport<Row, Page>,
): Promise<ProducedFile> {
  const { columns, total } = table;
  const writer = createWriter(batch, table);
  let done = 0;
  batch.reportProgress({ done, total });
  for await (const page of table.pages) {
    batch.signal.throwIfAborted();
    await writer.add(page.rows.map((row) => columns.map(({ cell }) => cell(row, page))));
    done += page.rows.length;
    batch.reportProgress({ done, total: Math.max(done, total) });
  }
  await writer.end();
  return describeFile(table, done);
}

/** Rows in the text of the file. */
interface FormattedRows {
  bytes: string | Uint8Array;
  rows: number;
}

/** Writes a table whose rows are formatted already. */
export async function writeFormattedTable(
  batch: FileBatch<object>,
  table: TableDescription & { format: 'csv' | 'json' },
  chunks: AsyncIterable<FormattedRows>,
): Promise<ProducedFile> {
  const { total } = table;
  let done = 0;
  batch.reportProgress({ done, total });
  if (table.format === 'csv') await batch.write(formatCsvHeading(table.columns));
  for await (const { bytes, rows } of chunks) {
    await batch.write(bytes);
    done += rows;
    batch.reportProgress({ done, total: Math.max(done, total) });
  }
  if (table.format === 'json') await batch.write(formatJsonEnd(done === 0));
  return describeFile(table, done);
}

const createWriter = (
  batch: FileBatch<object>,
  { format, columns, type, filterText, unfilteredText, note, at }: TableDescription,
) =>
  createTableWriter(
    format,
    {
      columns: columns.map(({ heading, width }) => ({ heading, width })),
      sheet: type,
      filter: filterText ?? unfilteredText,
      note,
      exportedAt: at,
    },
    (chunk) => batch.write(chunk),
  );

function describeFile(table: TableDescription, rows: number): ProducedFile {
  const { format, columns, subject, type, filterText, at } = table;
  return {
    name: buildFileName(subject, filterText, format, table.day ?? at.toISOString().slice(0, 10)),
    mediaType: TABLE_FORMATS[format],
    rows,
    subject,
    detail: {
      type,
      filter: filterText ?? null,
      fields: table.fields ?? columns.map(({ heading }) => heading),
      format,
      ...table.detail,
    },
  };
}
