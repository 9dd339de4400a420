import { MAX_CELLS, MAX_UNPACKED_BYTES, WORKBOOK_TOO_LARGE, TOO_MANY_CELLS } from './limits.ts';
import { splitHeading } from './parse-csv.ts';
import type { SheetInfo, Table, TableError } from './table.ts';
import { parseRelations, parseNumberKinds, parseWorkbook } from './workbook/read-parts.ts';
import { createSheetReader, createStringsReader } from './workbook/read-sheet.ts';
import type { SharedParts } from './workbook/read-sheet.ts';
import { openZip } from './workbook/zip-reader.ts';
import type { ZipReaderHandle } from './workbook/zip-reader.ts';

const UNREADABLE_WORKBOOK = 'This workbook cannot be read. Save it as CSV and choose that file.';

class TooManyCellsError extends Error {}

/** Unpacks a text file of the archive into a reader; false if the file does not exist. */
async function readText(
  zip: ZipReaderHandle,
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

async function readFullText(zip: ZipReaderHandle, path: string): Promise<string> {
  const texts: string[] = [];
  await readText(zip, path, { write: (text) => void texts.push(text) });
  return texts.join('');
}

const splitPath = (path: string): [folder: string, name: string] => {
  const end = path.lastIndexOf('/') + 1;
  return [path.slice(0, end), path.slice(end)];
};

/** Reads the list of sheets and the parts their cells refer to. */
async function openWorkbook(zip: ZipReaderHandle) {
  const [main] = parseRelations(await readFullText(zip, '_rels/.rels'), '').filter(
    ({ kind }) => kind === 'officeDocument',
  );
  const path = main?.path ?? 'xl/workbook.xml';
  const [folder, name] = splitPath(path);
  const relations = parseRelations(await readFullText(zip, `${folder}_rels/${name}.rels`), folder);
  const findPath = (what: string) => relations.find(({ kind }) => kind === what)?.path ?? '';
  const sheetPaths = relations
    .filter(({ kind }) => kind === 'worksheet')
    .map((one) => [one.id, one.path] as const);
  const { sheets, is1904 } = parseWorkbook(await readFullText(zip, path), new Map(sheetPaths));
  const strings = createStringsReader();
  await readText(zip, findPath('sharedStrings'), strings);
  const shared: SharedParts = {
    strings: strings.strings,
    styles: parseNumberKinds(await readFullText(zip, findPath('styles'))),
    is1904,
  };
  return { sheets, shared };
}

/** Rows of a sheet; missing rows are empty. */
interface SheetRows {
  records: string[][];
  /** Number of rows with any content. */
  filledRows: number;
}

async function readSheet(
  zip: ZipReaderHandle,
  path: string,
  shared: SharedParts,
  onBytes: (read: number) => void,
): Promise<SheetRows> {
  const records: string[][] = [];
  let [full, width, cells] = [0, 0, 0];
  const reader = createSheetReader(shared, (row, sheetCells) => {
    if (sheetCells.length === 0) return;
    cells += sheetCells.length;
    if (cells > MAX_CELLS) throw new TooManyCellsError();
    while (records.length < row - 1) records.push([]);
    records.push(sheetCells);
    full += 1;
    width = Math.max(width, sheetCells.length);
  });
  if (!(await readText(zip, path, reader, onBytes))) throw new Error('A sheet is missing');
  // Cells beside the table belong to columns without a heading and are not errors of their rows.
  const head = records.find((found) => found.length > 0);
  head?.push(...Array.from({ length: width - head.length }, () => ''));
  return { records, filledRows: full };
}

/** Ranks a sheet for the default choice: the first with the highest rank is read. */
function rankSheet({ rows, isHidden }: SheetInfo, full: number): number {
  if (rows > 0) return isHidden ? 2 : 3;
  return full > 0 ? 1 : 0;
}

/** Reads the chosen sheet of a workbook, by default the first one with rows, and counts the rows of the others. */
export async function readWorkbook(
  file: Blob,
  onProgress: (share: number) => void,
  chosenSheet?: number,
): Promise<Table | TableError> {
  try {
    const zip = await openZip(file);
    if (zip.unpackedBytes > MAX_UNPACKED_BYTES) return { error: WORKBOOK_TOO_LARGE };
    const { sheets: parts, shared } = await openWorkbook(zip);
    const totalPackedBytes = parts.reduce((sum, { path }) => sum + zip.getPackedBytes(path), 0);
    const sheets: SheetInfo[] = [];
    let best: { rank: number; at: number; records: string[][] } = { rank: -1, at: 0, records: [] };
    let packedBytesRead = 0;
    for (const [at, { name, isHidden, path }] of parts.entries()) {
      const done = packedBytesRead;
      // Sequential, so that only the best sheet is in memory.
      const { records, filledRows } = await readSheet(zip, path, shared, (read) =>
        onProgress((done + read) / totalPackedBytes),
      );
      packedBytesRead += zip.getPackedBytes(path);
      const sheet = { name, isHidden, rows: Math.max(0, filledRows - 1) };
      sheets.push(sheet);
      const sheetRank = chosenSheet === undefined ? rankSheet(sheet, filledRows) : Number(at === chosenSheet);
      if (sheetRank > best.rank) best = { rank: sheetRank, at, records };
    }
    const source = { kind: 'workbook', sheet: best.at, sheets } as const;
    if (sheets.length === 0) return { error: UNREADABLE_WORKBOOK };
    if (best.records.length === 0)
      return { error: sheets.length === 1 ? 'The sheet is empty.' : 'The sheets of the workbook are empty.' };
    return { ...splitHeading(best.records), source };
  } catch (thrown) {
    return { error: thrown instanceof TooManyCellsError ? TOO_MANY_CELLS : UNREADABLE_WORKBOOK };
  }
}
