import { inWords, isList } from './cells.ts';
import type { ExportCell } from './cells.ts';
import { SHEET_ROWS } from '../areas/export/limits.ts';
import { sheetText } from './sheet-text.ts';
import { BOOK_TYPE, bookFiles, escaped, SHEET_END, sheetPath, sheetStart, STYLE } from './workbook.ts';
import { createZip } from './zip.ts';
import type { ZipFile } from './zip.ts';

const DAY = 86_400_000;
/** The day 0 of sheets is the 30th of December 1899. */
const EPOCH = 25_569;

// A heading is seen whole, if it is not a sentence.
const WIDEST_HEADING = 40;

// Programs give up on larger ones long before they are full.
const SHEET_BYTES = 2 ** 31;

// Text has the type of text: a sheet never takes it for a formula (security T19).
const textCell = (at: string, text: string, style: number): string =>
  `<c r="${at}" t="inlineStr"${style === STYLE.plain ? '' : ` s="${style}"`}><is><t xml:space="preserve">${escaped(sheetText(text))}</t></is></c>`;
const dateCell = (at: string, wall: number, style: number): string =>
  `<c r="${at}" s="${style}"><v>${wall / DAY + EPOCH}</v></c>`;

// Without a format programs show no more than eleven digits of a number, and of none more than fifteen: what has more of
// them is a text, which nobody rounds.
const [SHOWN, EXACT, DIGITS] = [1e11, 1e15, 1e21];

function numberCell(at: string, value: number): string {
  const size = Number.isInteger(value) ? Math.abs(value) : 0;
  if (size >= EXACT && size < DIGITS) return textCell(at, String(value), STYLE.plain);
  return `<c r="${at}"${size >= SHOWN && size < EXACT ? ` s="${STYLE.whole}"` : ''}><v>${value}</v></c>`;
}

function xmlCell(at: string, value: ExportCell): string {
  if (value === '') return '';
  if (typeof value === 'number') return numberCell(at, value);
  if (typeof value === 'boolean' || isList(value)) return textCell(at, inWords(value), STYLE.plain);
  if (typeof value === 'string') return textCell(at, value, STYLE.plain);
  if (value instanceof Date) return dateCell(at, value.getTime(), STYLE.moment);
  return dateCell(at, value.wall, value.isDay ? STYLE.day : STYLE.moment);
}

/** `A`, `Z`, `AA`: how the columns of a sheet are called. */
function letters(column: number): string {
  const before = Math.floor(column / 26);
  return (before > 0 ? letters(before - 1) : '') + String.fromCodePoint(65 + (column % 26));
}
const LETTERS: string[] = [];
const addressOf = (column: number, row: number): string => `${(LETTERS[column] ??= letters(column))}${row}`;

const xmlRow = (row: number, cells: readonly ExportCell[]): string =>
  `<row r="${row}">${cells.map((cell, column) => xmlCell(addressOf(column, row), cell)).join('')}</row>`;
const headRow = (headings: readonly string[]): string =>
  `<row r="1">${headings.map((text, column) => textCell(addressOf(column, 1), text, STYLE.heading)).join('')}</row>`;

/** What a workbook is told beside its rows. */
export interface Table {
  columns: readonly { heading: string; width: number }[];
  sheet: string;
  filter: string;
  /** How the rows came to be what they are, where there is something to know. */
  note?: string | undefined;
  made: Date;
}

async function endSheet(file: ZipFile): Promise<void> {
  await file.write(SHEET_END);
  await file.end();
}

/**
 * Writes a workbook while its rows come, with a last sheet that says what they are: among the rows it would come back in
 * an import.
 */
export function createWorkbook({ columns, sheet, filter, note, made }: Table, most = SHEET_ROWS) {
  const zip = createZip(BOOK_TYPE);
  const names: string[] = [];
  let current: ZipFile | undefined;
  let [inSheet, total] = [0, 0];

  async function beginSheet(name: string, widths: readonly number[], hasHeading: boolean): Promise<ZipFile> {
    const file = zip.begin(sheetPath(names.length));
    names.push(name);
    await file.write(sheetStart(widths, hasHeading));
    return file;
  }

  async function openSheet(): Promise<ZipFile> {
    const file = await beginSheet(
      sheet,
      columns.map(({ width, heading }) => Math.max(width, Math.min(heading.length + 2, WIDEST_HEADING))),
      true,
    );
    await file.write(headRow(columns.map(({ heading }) => heading)));
    inSheet = 1;
    return file;
  }

  async function add(rows: readonly (readonly ExportCell[])[]): Promise<void> {
    if (current && (inSheet >= most || current.size() > SHEET_BYTES)) {
      await endSheet(current);
      current = undefined;
    }
    current ??= await openSheet();
    const some = rows.slice(0, most - inSheet);
    await current.write(some.map((cells, at) => xmlRow(inSheet + at + 1, cells)).join(''));
    inSheet += some.length;
    total += some.length;
    if (some.length < rows.length) await add(rows.slice(some.length));
  }

  async function addAbout(): Promise<void> {
    const lines: readonly (readonly [string, ExportCell])[] = [
      ['Rows', total],
      ['Filter', filter],
      ['Exported', made],
      ...(note === undefined ? [] : [['Reading', note] as const]),
    ];
    const file = await beginSheet('About', [14, 60], false);
    await file.write(lines.map((cells, at) => xmlRow(at + 1, cells)).join(''));
    await endSheet(file);
  }

  return {
    add,
    async end(): Promise<Blob> {
      current ??= await openSheet();
      await endSheet(current);
      await addAbout();
      for (const [path, text] of bookFiles(names))
        // oxlint-disable-next-line no-await-in-loop -- one file behind the other
        await zip.add(path, text);
      return zip.end();
    },
  };
}
