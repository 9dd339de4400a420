import { formatCellText, isListCell, escapeSheetText } from './cells.ts';
import type { ExportCell } from './cells.ts';
import {
  MAX_SHEET_ROWS,
  buildWorkbookFiles,
  escapeXml,
  SHEET_END,
  getSheetPath,
  formatSheetStart,
  CELL_STYLE,
} from './workbook-parts.ts';

/** Writes one file of an archive. */
export interface ZipEntryWriter {
  /** Writes a text; resolves when more can be written. */
  write: (text: string) => Promise<void>;
  end: () => Promise<void>;
  /** Bytes written so far, before compression. */
  size: () => number;
}

/** Writes an archive file by file; one file is open at a time. */
export interface ZipWriter<Archive> {
  begin: (name: string) => ZipEntryWriter;
  /** Adds a complete file. */
  add: (name: string, text: string) => Promise<void>;
  /** Completes the archive. */
  end: () => Promise<Archive>;
}

const DAY_MS = 86_400_000;
/** Serial number of 1970-01-01; day 0 is 1899-12-30. */
const UNIX_EPOCH_SERIAL = 25_569;

// Headings up to this many characters are fully visible.
const MAX_HEADING_WIDTH = 40;

// Programs fail on larger sheets before the row limit.
const MAX_SHEET_BYTES = 2 ** 31;

// Cells typed as text are never executed as a formula (security T19).
const formatTextCell = (at: string, text: string, style: number): string =>
  `<c r="${at}" t="inlineStr"${style === CELL_STYLE.plain ? '' : ` s="${style}"`}><is><t xml:space="preserve">${escapeXml(escapeSheetText(text))}</t></is></c>`;
const formatDateCell = (at: string, wall: number, style: number): string =>
  `<c r="${at}" s="${style}"><v>${wall / DAY_MS + UNIX_EPOCH_SERIAL}</v></c>`;

// Without a format, programs show at most eleven digits and keep at most fifteen: longer numbers are written as text.
const [MIN_FORMATTED_NUMBER, MIN_TEXT_NUMBER, MAX_TEXT_NUMBER] = [1e11, 1e15, 1e21];

function formatNumberCell(at: string, value: number): string {
  const size = Number.isInteger(value) ? Math.abs(value) : 0;
  if (size >= MIN_TEXT_NUMBER && size < MAX_TEXT_NUMBER)
    return formatTextCell(at, String(value), CELL_STYLE.plain);
  return `<c r="${at}"${size >= MIN_FORMATTED_NUMBER && size < MIN_TEXT_NUMBER ? ` s="${CELL_STYLE.whole}"` : ''}><v>${value}</v></c>`;
}

function formatCell(at: string, value: ExportCell): string {
  if (value === '') return '';
  if (typeof value === 'number') return formatNumberCell(at, value);
  if (typeof value === 'boolean' || isListCell(value))
    return formatTextCell(at, formatCellText(value), CELL_STYLE.plain);
  if (typeof value === 'string') return formatTextCell(at, value, CELL_STYLE.plain);
  if (value instanceof Date) return formatDateCell(at, value.getTime(), CELL_STYLE.moment);
  return formatDateCell(at, value.wallTimeMs, value.isDay ? CELL_STYLE.day : CELL_STYLE.moment);
}

/** Converts a column index to letters: `A`, `Z`, `AA`. */
function toColumnLetters(column: number): string {
  const prefixIndex = Math.floor(column / 26);
  return (prefixIndex > 0 ? toColumnLetters(prefixIndex - 1) : '') + String.fromCodePoint(65 + (column % 26));
}
const columnLettersCache: string[] = [];
const toCellAddress = (column: number, row: number): string =>
  `${(columnLettersCache[column] ??= toColumnLetters(column))}${row}`;

const formatRow = (row: number, cells: readonly ExportCell[]): string =>
  `<row r="${row}">${cells.map((cell, column) => formatCell(toCellAddress(column, row), cell)).join('')}</row>`;
const formatHeadingRow = (headings: readonly string[]): string =>
  `<row r="1">${headings.map((text, column) => formatTextCell(toCellAddress(column, 1), text, CELL_STYLE.heading)).join('')}</row>`;

/** Properties of an exported table other than its rows. */
export interface TableInfo {
  columns: readonly { heading: string; width: number }[];
  sheet: string;
  filter: string;
  /** Remark about how the rows were read. */
  note?: string | undefined;
  exportedAt: Date;
}

async function endSheet(file: ZipEntryWriter): Promise<void> {
  await file.write(SHEET_END);
  await file.end();
}

/**
 * Creates a workbook that is written as rows arrive. Its last sheet describes the export; within the rows, the description
 * would be imported as data.
 */
export function createWorkbook<Archive>(
  { columns, sheet, filter, note, exportedAt }: TableInfo,
  zip: ZipWriter<Archive>,
  maxRows = MAX_SHEET_ROWS,
) {
  const names: string[] = [];
  let current: ZipEntryWriter | undefined;
  let [rowsInSheet, totalRows] = [0, 0];

  async function beginSheet(
    name: string,
    widths: readonly number[],
    hasHeading: boolean,
  ): Promise<ZipEntryWriter> {
    const file = zip.begin(getSheetPath(names.length));
    names.push(name);
    await file.write(formatSheetStart(widths, hasHeading));
    return file;
  }

  async function openSheet(): Promise<ZipEntryWriter> {
    const file = await beginSheet(
      sheet,
      columns.map(({ width, heading }) => Math.max(width, Math.min(heading.length + 2, MAX_HEADING_WIDTH))),
      true,
    );
    await file.write(formatHeadingRow(columns.map(({ heading }) => heading)));
    rowsInSheet = 1;
    return file;
  }

  async function add(rows: readonly (readonly ExportCell[])[]): Promise<void> {
    if (current && (rowsInSheet >= maxRows || current.size() > MAX_SHEET_BYTES)) {
      await endSheet(current);
      current = undefined;
    }
    current ??= await openSheet();
    const some = rows.slice(0, maxRows - rowsInSheet);
    await current.write(some.map((cells, at) => formatRow(rowsInSheet + at + 1, cells)).join(''));
    rowsInSheet += some.length;
    totalRows += some.length;
    if (some.length < rows.length) await add(rows.slice(some.length));
  }

  async function addAbout(): Promise<void> {
    const lines: readonly (readonly [string, ExportCell])[] = [
      ['Rows', totalRows],
      ['Filter', filter],
      ['Exported', exportedAt],
      ...(note === undefined ? [] : [['Reading', note] as const]),
    ];
    const file = await beginSheet('About', [14, 60], false);
    await file.write(lines.map((cells, at) => formatRow(at + 1, cells)).join(''));
    await endSheet(file);
  }

  return {
    add,
    async end(): Promise<Archive> {
      current ??= await openSheet();
      await endSheet(current);
      await addAbout();
      for (const [path, text] of buildWorkbookFiles(names))
        // An archive is written in order.
        await zip.add(path, text);
      return zip.end();
    },
  };
}
