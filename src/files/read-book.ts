import { relationsOf, stylesIn, workbookOf } from './workbook/parts.ts';
import { createSheetReader, createStringsReader } from './workbook/sheet.ts';
import type { Shared } from './workbook/sheet.ts';
import { openZip } from './workbook/unzip.ts';
import type { Unzip } from './workbook/unzip.ts';
import { MOST_CELLS, MOST_UNPACKED, TOO_LARGE_BOOK, TOO_MANY_CELLS } from './limits.ts';
import { rowsUnder } from './parse.ts';
import type { Sheet, Table } from './read-table.ts';

const UNREADABLE = 'This is no workbook that can be read. Save it as CSV and choose that file.';

class TooManyCells extends Error {}

/** Unpacks a file of the archive as text into a reader; false where there is none. */
async function readText(
  zip: Unzip,
  path: string,
  { write, end }: { write: (text: string) => void; end?: () => void },
  onBytes?: (read: number) => void,
): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const isThere = await zip.read(path, (chunk) => write(decoder.decode(chunk, { stream: true })), onBytes);
  write(decoder.decode());
  if (isThere) end?.();
  return isThere;
}

async function textOf(zip: Unzip, path: string): Promise<string> {
  const texts: string[] = [];
  await readText(zip, path, { write: (text) => void texts.push(text) });
  return texts.join('');
}

const split = (path: string): [folder: string, name: string] => {
  const end = path.lastIndexOf('/') + 1;
  return [path.slice(0, end), path.slice(end)];
};

/** The sheets of a workbook, and what their cells refer to. */
async function openBook(zip: Unzip) {
  const [main] = relationsOf(await textOf(zip, '_rels/.rels'), '').filter(
    ({ kind }) => kind === 'officeDocument',
  );
  const path = main?.path ?? 'xl/workbook.xml';
  const [folder, name] = split(path);
  const relations = relationsOf(await textOf(zip, `${folder}_rels/${name}.rels`), folder);
  const pathOf = (what: string) => relations.find(({ kind }) => kind === what)?.path ?? '';
  const sheetPaths = relations
    .filter(({ kind }) => kind === 'worksheet')
    .map((one) => [one.id, one.path] as const);
  const { sheets, is1904 } = workbookOf(await textOf(zip, path), new Map(sheetPaths));
  const strings = createStringsReader();
  await readText(zip, pathOf('sharedStrings'), strings);
  const shared: Shared = {
    strings: strings.strings,
    styles: stylesIn(await textOf(zip, pathOf('styles'))),
    is1904,
  };
  return { sheets, shared };
}

/** A sheet as it was read: rows that are not there are empty. */
interface SheetRows {
  records: string[][];
  /** Rows with anything in them. */
  full: number;
}

async function readSheet(
  zip: Unzip,
  path: string,
  shared: Shared,
  onBytes: (read: number) => void,
): Promise<SheetRows> {
  const records: string[][] = [];
  let [full, width, cells] = [0, 0, 0];
  const reader = createSheetReader(shared, (row, found) => {
    if (found.length === 0) return;
    cells += found.length;
    if (cells > MOST_CELLS) throw new TooManyCells();
    while (records.length < row - 1) records.push([]);
    records.push(found);
    full += 1;
    width = Math.max(width, found.length);
  });
  if (!(await readText(zip, path, reader, onBytes))) throw new Error('A sheet is missing');
  // What stands beside a table is a column without a heading, not a fault of its rows.
  const head = records.find((found) => found.length > 0);
  head?.push(...Array.from({ length: width - head.length }, () => ''));
  return { records, full };
}

/** How well a sheet is the one that is meant, where nobody said which: the first that is greatest. */
function rank({ rows, isHidden }: Sheet, full: number): number {
  if (rows > 0) return isHidden ? 2 : 3;
  return full > 0 ? 1 : 0;
}

/** Reads a sheet of a workbook: this one, else the first that has rows. The others are counted. */
export async function bookTable(
  file: Blob,
  onProgress: (share: number) => void,
  chosen?: number,
): Promise<Table | { fault: string }> {
  try {
    const zip = await openZip(file);
    if (zip.size > MOST_UNPACKED) return { fault: TOO_LARGE_BOOK };
    const { sheets: parts, shared } = await openBook(zip);
    const all = parts.reduce((sum, { path }) => sum + zip.packed(path), 0);
    const sheets: Sheet[] = [];
    let best: { rank: number; at: number; records: string[][] } = { rank: -1, at: 0, records: [] };
    let before = 0;
    for (const [at, { name, isHidden, path }] of parts.entries()) {
      const done = before;
      // oxlint-disable-next-line no-await-in-loop -- one behind the other: in memory is only the best of them
      const { records, full } = await readSheet(zip, path, shared, (read) => onProgress((done + read) / all));
      before += zip.packed(path);
      const sheet = { name, isHidden, rows: Math.max(0, full - 1) };
      sheets.push(sheet);
      const own = chosen === undefined ? rank(sheet, full) : Number(at === chosen);
      if (own > best.rank) best = { rank: own, at, records };
    }
    const source = { kind: 'workbook', sheet: best.at, sheets } as const;
    if (sheets.length === 0) return { fault: UNREADABLE };
    if (best.records.length === 0)
      return { fault: sheets.length === 1 ? 'The sheet is empty.' : 'The sheets of the workbook are empty.' };
    return { ...rowsUnder(best.records), source };
  } catch (thrown) {
    return { fault: thrown instanceof TooManyCells ? TOO_MANY_CELLS : UNREADABLE };
  }
}
