/** Report of a job: all items with their outcomes as a table that is written while it is read. */
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { formatCellText, isListCell, type ExportCell } from '../../../contract/rules/tables/cells.ts';
import { countFileColumns, PROBLEM_HEADINGS } from '../../../contract/rules/tables/problem-columns.ts';
import { conflict } from '../../kernel/api-error.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { DownloadResponse } from '../../kernel/http/file-response.ts';
import type { Call } from '../../kernel/http/handler.ts';
import type { JobKind } from '../../kernel/jobs/job-kind.ts';
import type { ItemState, JobKey } from '../../kernel/jobs/jobs.store.ts';
import { createTableWriter, TABLE_FORMATS } from '../../kernel/jobs/table-writer.ts';
import { requireReadableItems } from './access.ts';
import type { StoredJob } from './jobs.store.ts';
import { listItemProperties, readReportItems, readReportTime, type ReportItem } from './report.store.ts';
import { INPUT_DAYS } from './retention.ts';

interface Column {
  heading: string;
  /** Width in a workbook, in characters. */
  width: number;
  getValue(item: ReportItem): ExportCell;
}

const STATE_WORDS: Readonly<Record<ItemState, string>> = {
  open: 'Not processed',
  done: 'Done',
  unchanged: 'Unchanged',
  conflict: 'Skipped',
  failed: 'Failed',
};

const OUTCOME_COLUMNS: readonly Column[] = [
  { heading: 'Number', width: 10, getValue: ({ number }) => number },
  { heading: 'Item', width: 30, getValue: ({ label }) => label ?? '' },
  { heading: 'Detail', width: 30, getValue: ({ detail }) => detail ?? '' },
  { heading: 'Outcome', width: 14, getValue: ({ state }) => STATE_WORDS[state] },
  { heading: 'Reason', width: 50, getValue: ({ reason }) => reason ?? '' },
  { heading: 'Ended (UTC)', width: 22, getValue: ({ endedDate }) => endedDate ?? '' },
];
const VALUE_WIDTH = 24;

/** Words of the name of a property: `licenseTypeId` becomes `license type ID`. */
const formatPropertyName = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replaceAll(/\bids?\b/g, (word) => word.replace('id', 'ID'));

/** A value of an item as a cell; objects become `name: value` texts. */
function toCell(value: unknown): ExportCell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((each: unknown) => formatCell(toCell(each)));
  return Object.entries(value).map(([name, each]) => `${name}: ${formatCell(toCell(each))}`);
}

/** A value within a list; what the database returns as JSON has no dates. */
const formatCell = (cell: ExportCell): string => {
  if (typeof cell === 'boolean' || isListCell(cell)) return formatCellText(cell);
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
};

const toColumn = (which: 'input' | 'before', heading: string, name: string): Column => ({
  heading: `${heading} ${formatPropertyName(name)}`,
  width: VALUE_WIDTH,
  getValue: (item) => toCell(item[which]?.[name]),
});

/** Columns of what was requested and what was replaced. */
async function buildValueColumns(
  db: Db,
  { siteId, jobId }: JobKey,
  { kind, parameters }: { kind: JobKind | undefined; parameters: object },
): Promise<Column[]> {
  const ownColumns = await kind?.loadReportColumns?.({ db, siteId }, parameters);
  if (ownColumns)
    return ownColumns.map((column) => ({
      heading: column.heading,
      width: VALUE_WIDTH,
      getValue: (item) => column.getValue(item) ?? '',
    }));
  const names = await listItemProperties(db, { siteId, jobId });
  return [
    ...names.input.map((name) => toColumn('input', 'Requested', name)),
    ...names.before.map((name) => toColumn('before', 'Replaced', name)),
  ];
}

const TYPES = { csv: `${TABLE_FORMATS.csv}; charset=utf-8`, xlsx: TABLE_FORMATS.xlsx } as const;

/** Operation downloadJobReport. The rows are read page by page without a transaction, however slowly the client reads. */
export async function downloadJobReport(
  call: Call<'downloadJobReport'>,
): Promise<{ status: 200; download: DownloadResponse }> {
  const { readDb: db, caller, params, query, services, signal } = call;
  const job = await requireReadableItems(call, params.jobId);
  const key = { siteId: caller.siteId, jobId: job.id };
  const at = await readReportTime(db, key);
  const format = query.format ?? 'csv';
  const kind = services.jobKinds.get(job.kind);
  if (query.rows === 'failed') {
    const table = buildFailedRows(job, kind, readReportItems(db, key, at));
    const chunks = writeReport({ ...table, job, at, format, signal });
    return {
      status: 200,
      download: { type: TYPES[format], name: `failed-rows-${job.id}.${format}`, chunks },
    };
  }
  const columns = [
    ...OUTCOME_COLUMNS,
    ...(await buildValueColumns(db, key, {
      kind,
      parameters: job.parameters,
    })),
  ];
  const pages = toRows(columns, readReportItems(db, key, at));
  const name = `${job.kind.replaceAll('.', '-')}-${job.id}-${at.toISOString().slice(0, 10)}.${format}`;
  const chunks = writeReport({ job, columns, pages, at, format, signal });
  return { status: 200, download: { type: TYPES[format], name, chunks } };
}

async function* toRows(
  columns: readonly Column[],
  pages: AsyncIterable<ReportItem[]>,
): AsyncGenerator<ExportCell[][]> {
  for await (const items of pages) yield items.map((item) => columns.map((column) => column.getValue(item)));
}

/**
 * The rows of the imported file that failed or were skipped, as the file has them, with number and reason.
 * @throws ApiError 409 for a job without the cells of its file
 */
function buildFailedRows(
  { parameters, finishedDate }: StoredJob,
  kind: JobKind | undefined,
  pages: AsyncIterable<ReportItem[]>,
): Pick<ReportTable, 'columns' | 'pages'> {
  const headings = kind?.fileRows?.getHeadings(parameters);
  if (!headings) throw conflict('This job was started without the cells of a file');
  if (finishedDate !== null && Date.now() - finishedDate.getTime() > INPUT_DAYS * 86_400_000)
    throw conflict(`The cells of the file were deleted ${INPUT_DAYS} days after the end of the job`);
  const own = headings.slice(0, countFileColumns(headings));
  const columns = [...own, ...PROBLEM_HEADINGS].map((heading) => ({ heading, width: VALUE_WIDTH }));
  // The references of a row may be items of their own.
  const listed = new Set<number>();
  const toFailedRow = ({ state, input, reason }: ReportItem): ExportCell[][] => {
    const row = state === 'failed' || state === 'conflict' ? kind?.fileRows?.getRow(input) : undefined;
    if (!row || listed.has(row.row)) return [];
    listed.add(row.row);
    return [[...own.map((_, at) => row.cells[at] ?? ''), row.row, reason ?? '']];
  };
  async function* listFailed() {
    for await (const items of pages) yield items.flatMap(toFailedRow);
  }
  return { columns, pages: listFailed() };
}

interface ReportTable {
  job: StoredJob;
  columns: readonly { heading: string; width: number }[];
  pages: AsyncIterable<ExportCell[][]>;
  at: Date;
  format: keyof typeof TYPES;
  signal: AbortSignal;
}

/** Writes the table into the returned stream as fast as it is read; stops when the client disconnects. */
function writeReport({ job, columns, pages, at, format, signal }: ReportTable): Readable {
  const output = new PassThrough();
  const table = { columns, sheet: 'Items', filter: job.title, exportedAt: at };
  const writer = createTableWriter(format, table, async (chunk) => {
    if (!output.write(chunk)) await once(output, 'drain', { signal });
  });
  const write = async () => {
    for await (const rows of pages) await writer.add(rows);
    await writer.end();
    output.end();
  };
  write().catch((error: unknown) =>
    output.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return output;
}
