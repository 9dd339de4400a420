import readBook from 'read-excel-file/universal';
import { rowsUnder } from './parse.ts';
import type { Table } from './read-table.ts';

// Reading takes about thirty times as much memory as the file has.
const MOST_BYTES = 25 * 1024 * 1024;

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

/** Reads the first sheet of a workbook, cells as they would stand in a CSV file. */
export async function bookTable(bytes: Uint8Array<ArrayBuffer>): Promise<Table | { fault: string }> {
  if (bytes.length > MOST_BYTES)
    return { fault: 'A workbook may have 25 MB at most. Save it as CSV, which may have 100 MB.' };
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
