import readBook from 'read-excel-file/universal';
import { rowsUnder } from './parse.ts';
import type { Table } from './read-table.ts';

// The library reads a sheet whole, which takes about ten times as much memory as it unpacks to.
const MOST_UNPACKED = 256 * 1024 * 1024;
const TOO_LARGE = 'The workbook unpacks to more than 256 MB. Save it as CSV, which may have 100 MB.';

const SECOND = 1000;
const NEAR = 5;

/** A sheet counts fractions of days: what is nearly a second is one. */
function wholeSecond(time: number): number {
  const whole = Math.round(time / SECOND) * SECOND;
  return Math.abs(time - whole) < NEAR ? whole : time;
}

/** A cell as the text that a CSV file would have: a midnight is a day, any other time goes without a zone. */
function cellText(cell: unknown): string {
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No';
  if (typeof cell === 'string' || typeof cell === 'number') return String(cell);
  if (!(cell instanceof Date)) return '';
  if (Number.isNaN(cell.getTime())) return '';
  const text = new Date(wholeSecond(cell.getTime())).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, -1);
}

const END_OF_DIRECTORY = 0x06054b50;
const IN_DIRECTORY = 0x02014b50;
const LONGEST_COMMENT = 0xffff;

/** What the directory of an archive says that its files unpack to (APPNOTE.TXT, 4.3.12); 0 where there is none. */
function unpackedSize(bytes: Uint8Array<ArrayBuffer>): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = bytes.length - 22;
  const first = Math.max(0, end - LONGEST_COMMENT);
  while (end >= first && view.getUint32(end, true) !== END_OF_DIRECTORY) end -= 1;
  if (end < first) return 0;
  let sum = 0;
  for (let at = view.getUint32(end + 16, true); at + 46 <= bytes.length;) {
    if (view.getUint32(at, true) !== IN_DIRECTORY) break;
    sum += view.getUint32(at + 24, true);
    at += 46 + [28, 30, 32].reduce((length, place) => length + view.getUint16(at + place, true), 0);
  }
  return sum;
}

/** Reads the first sheet of a workbook, cells as they would stand in a CSV file. */
export async function bookTable(bytes: Uint8Array<ArrayBuffer>): Promise<Table | { fault: string }> {
  if (unpackedSize(bytes) > MOST_UNPACKED) return { fault: TOO_LARGE };
  try {
    const sheets = await readBook(bytes.buffer, { trim: false });
    const [first] = sheets;
    if (!first || first.data.length === 0) return { fault: 'The first sheet is empty.' };
    const records = first.data.map((cells) => cells.map((cell) => cellText(cell)));
    return {
      ...rowsUnder(records),
      source: { kind: 'workbook', sheet: first.sheet, others: sheets.length - 1 },
    };
  } catch {
    return { fault: 'This is no workbook that can be read. Save it as CSV and choose that file.' };
  }
}
