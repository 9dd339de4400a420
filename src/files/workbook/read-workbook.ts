import { findNumberLoss, isSameNumber } from '../../../contract/rules/json/numbers.ts';
import { splitHeading } from '../csv/parse-csv.ts';
import { MAX_CELLS, MAX_UNPACKED_BYTES, WORKBOOK_TOO_LARGE, TOO_MANY_CELLS } from '../table/limits.ts';
import type { SheetInfo, Table, TableError } from '../table/table.ts';
import { createXmlReader, getLocalName } from './xml-reader.ts';
import type { Attributes } from './xml-reader.ts';
import { openZip } from './zip-reader.ts';
import type { ZipReaderHandle } from './zip-reader.ts';

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
  const exists = await zip.read(path, (chunk) => write(decoder.decode(chunk, { stream: true })), onBytes);
  write(decoder.decode());
  if (exists) end?.();
  return exists;
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
  const [main] = parseRelationships(await readFullText(zip, '_rels/.rels'), '').filter(
    ({ kind }) => kind === 'officeDocument',
  );
  const path = main?.path ?? 'xl/workbook.xml';
  const [folder, name] = splitPath(path);
  const relationships = parseRelationships(await readFullText(zip, `${folder}_rels/${name}.rels`), folder);
  const findPath = (type: string) => relationships.find(({ kind }) => kind === type)?.path ?? '';
  const sheetPaths = relationships
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
  let [filledRows, width, cells] = [0, 0, 0];
  const reader = createSheetReader(shared, (row, sheetCells) => {
    if (sheetCells.length === 0) return;
    cells += sheetCells.length;
    if (cells > MAX_CELLS) throw new TooManyCellsError();
    while (records.length < row - 1) records.push([]);
    records.push(sheetCells);
    filledRows += 1;
    width = Math.max(width, sheetCells.length);
  });
  if (!(await readText(zip, path, reader, onBytes))) throw new Error('A sheet is missing');
  // Cells beside the table belong to columns without a heading and are not errors of their rows.
  const head = records.find((found) => found.length > 0);
  head?.push(...Array.from({ length: width - head.length }, () => ''));
  return { records, filledRows };
}

/** Ranks a sheet for the default choice: the first with the highest rank is read. */
function rankSheet({ rows, isHidden }: SheetInfo, filledRows: number): number {
  if (rows > 0) return isHidden ? 2 : 3;
  return filledRows > 0 ? 1 : 0;
}

/**
 * Reads the chosen sheet of a workbook, by default the first visible one with rows, else the first hidden one with rows, and counts
 * the rows of all sheets.
 */
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
      // Sequential, so that at most two sheets are in memory: the current one and the best so far.
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

/** A sheet listed in the workbook. */
interface SheetPart {
  name: string;
  isHidden: boolean;
  path: string;
}

type Element = readonly [name: string, attributes: Attributes, within: string];

/** Parses the elements of a small file in order, each with its parent; empty for an empty file. */
function parseElements(xml: string): Element[] {
  const elements: Element[] = [];
  const above: string[] = [];
  const reader = createXmlReader({
    open(name, attributes) {
      elements.push([name, attributes, above.at(-1) ?? '']);
      above.push(name);
    },
    close: () => void above.pop(),
    text: () => undefined,
  });
  if (xml !== '') {
    reader.write(xml);
    reader.end();
  }
  return elements;
}

/** Resolves a target relative to the folder of the file that names it (ECMA-376 part 2, 6.2). */
const resolvePath = (folder: string, target: string): string =>
  decodeURIComponent(new URL(target, `zip:/${folder}`).pathname).slice(1);

/** Parses the relationships of a file: id, kind (last segment of the type) and path. */
function parseRelationships(xml: string, folder: string): { id: string; kind: string; path: string }[] {
  return parseElements(xml).flatMap(([name, attributes]) => {
    const target = attributes.Target;
    if (name !== 'Relationship' || target === undefined || attributes.TargetMode === 'External') return [];
    const kind = (attributes.Type ?? '').split('/').at(-1) ?? '';
    return [{ id: attributes.Id ?? '', kind, path: resolvePath(folder, target) }];
  });
}

/** Returns the relationship id of a sheet, an attribute in another namespace. */
const getRelationshipId = (attributes: Attributes): string =>
  Object.entries(attributes).find(([name]) => getLocalName(name) === 'id')?.[1] ?? '';

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Parses the sheets of a workbook in order, without chart sheets, and its date system. */
function parseWorkbook(xml: string, sheetPaths: ReadonlyMap<string, string>) {
  const sheets: SheetPart[] = [];
  let is1904 = false;
  for (const [element, attributes] of parseElements(xml)) {
    if (element === 'workbookPr') is1904 = isTrue(attributes.date1904);
    const path = element === 'sheet' ? sheetPaths.get(getRelationshipId(attributes)) : undefined;
    const isHidden = (attributes.state ?? 'visible') !== 'visible';
    if (path !== undefined) sheets.push({ name: attributes.name ?? '', isHidden, path });
  }
  return { sheets, is1904 };
}

/** Parses the kind of number (date, duration, plain) that each cell style displays, by style index. */
function parseNumberKinds(xml: string): NumberKind[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  for (const [name, attributes, within] of parseElements(xml)) {
    const id = Number(attributes.numFmtId ?? 0);
    if (name === 'numFmt' && within === 'numFmts') codes.set(id, attributes.formatCode ?? '');
    if (name === 'xf' && within === 'cellXfs') formats.push(id);
  }
  return formats.map((id) => getNumberKind(id, codes.get(id)));
}

/** Parts of the workbook that cells refer to. */
interface SharedParts {
  strings: readonly string[];
  /** What numbers represent, by style index. */
  styles: readonly NumberKind[];
  is1904: boolean;
}

/** Maximum rows and columns of a sheet. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

const ESCAPE = /_x([0-9a-f]{4})_/gi;
/** Decodes the escapes of a text (ECMA-376 part 1, 22.9.2.19). */
const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

// A substring keeps the whole source string in memory; concatenation creates an independent copy.
const copyString = (text: string): string => ` ${text}`.slice(1);

const isStringItem = (name: string): boolean => name === 'si' || name === 'is';

/** Collects the texts of shared and inline strings from all their runs, without phonetic readings. */
function createStringCollector(onItem: (text: string) => void) {
  let text = '';
  let [inside, inText, inReading] = [false, false, false];
  return {
    open(name: string): void {
      if (isStringItem(name)) [text, inside] = ['', true];
      else if (name === 'rPh') inReading = true;
      else if (name === 't') inText = inside;
    },
    close(name: string): void {
      if (name === 't') inText = false;
      else if (name === 'rPh') inReading = false;
      else if (isStringItem(name)) {
        inside = false;
        onItem(copyString(unescapeText(text)));
      }
    },
    text(piece: string): void {
      if (inText && !inReading) text += piece;
    },
  };
}

/** Creates a reader of the shared strings. */
function createStringsReader() {
  const strings: string[] = [];
  return { ...createXmlReader(createStringCollector((text) => strings.push(text))), strings };
}

/** Parses the column index of an address: `A` is 0, `AA` is 26. */
function parseColumn(address: string): number {
  let column = 0;
  for (let at = 0; at < address.length; at += 1) {
    // Letters in any case; a digit ends the column.
    const letter = (address.charCodeAt(at) | 0x20) - 0x60;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

/** Digits with which programs write the doubles of a workbook: 1.1 as 1.1000000000000001. */
const WRITTEN_DIGITS = [15, 16, 17];

/** The shortest notation of a number. One that is no double stays as it is, so that an import into a number field refuses it. */
const normalizeNumber = (text: string): string => {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) return text;
  const isDouble =
    findNumberLoss(text) === undefined ||
    (Number.isFinite(value) &&
      WRITTEN_DIGITS.some((digits) => isSameNumber(text, value.toPrecision(digits))));
  return isDouble ? String(value) : text;
};

/** Formats the value of a cell as text; for a formula, the value that was saved with it. */
function formatCellValue(
  type: string,
  style: number,
  value: string,
  { strings, styles, is1904 }: SharedParts,
): string {
  if (value === '') return '';
  if (type === 's') {
    const text = strings[Number(value)];
    if (text === undefined) throw new Error('Shared string missing');
    return text;
  }
  if (type === 'b') return value === '1' || value === 'true' ? 'Yes' : 'No';
  if (type === 'd') return copyString(normalizeIsoDate(value));
  if (type === 'n' || type === '') {
    const numberKind = styles[style];
    if (numberKind === 'duration') return formatDuration(Number(value));
    return numberKind === 'date' ? formatSerialDate(Number(value), is1904) : normalizeNumber(value);
  }
  // Result or error of a formula.
  return copyString(type === 'str' ? unescapeText(value) : value);
}

/** Creates a reader of a sheet's rows with their numbers; missing cells are empty. */
function createSheetReader(shared: SharedParts, onItem: (row: number, cells: string[]) => void) {
  let [row, cells]: [number, string[]] = [0, []];
  let [column, type, style, value] = [-1, '', 0, ''];
  let [inValue, isOver] = [false, false];
  const texts = createStringCollector((text) => {
    value = text;
  });

  function openCell({ r, t = '', s = '' }: Attributes): void {
    // Without an address it is the next cell.
    column = r === undefined ? column + 1 : parseColumn(r);
    if (column < 0 || column >= MAX_COLUMNS) throw new Error('Column out of range');
    [type, style, value] = [t, Number(s), ''];
  }
  function closeCell(): void {
    const text = type === 'inlineStr' ? value : formatCellValue(type, style, value, shared);
    if (text === '') return;
    while (cells.length < column) cells.push('');
    cells[column] = text;
  }
  function openRow({ r }: Attributes): void {
    const next = r === undefined ? row + 1 : Number(r);
    if (!(next > row && next <= MAX_ROWS)) throw new Error('Row out of range');
    [row, cells, column] = [next, [], -1];
  }

  return createXmlReader({
    open(name, attributes) {
      if (isOver) return;
      if (name === 'c') openCell(attributes);
      else if (name === 'row') openRow(attributes);
      else if (name === 'v') inValue = true;
      else texts.open(name);
    },
    close(name) {
      if (isOver) return;
      if (name === 'v') inValue = false;
      else if (name === 'c') closeCell();
      else if (name === 'row') onItem(row, cells);
      else if (name === 'sheetData') isOver = true;
      else texts.close(name);
    },
    text(piece) {
      if (inValue) value += piece;
      else texts.text(piece);
    },
  });
}

const DAY_MS = 86_400_000;
/** Serial number of 1970-01-01; day 0 is 1899-12-30. */
const UNIX_EPOCH_SERIAL = 25_569;
/** Days between day 0 of the 1900 and the 1904 date system. */
const DAYS_FROM_1900_TO_1904 = 1462;
/** Serial number of 1900-02-29, which did not exist; earlier days are one number lower. */
const FALSE_LEAP_DAY = 60;
const SECOND_MS = 1000;
const ROUNDING_MS = 5;

/** Whether a number format id is a built-in date format (ECMA-376 part 1, 18.8.30). */
const isBuiltInDateFormat = (id: number): boolean =>
  [
    [14, 22],
    [27, 36],
    [45, 47],
    [50, 58],
  ].some(([from = 0, to = 0]) => id >= from && id <= to);

/** `[h]:mm:ss`. */
const BUILT_IN_DURATION_FORMAT = 46;

// Literals, padding and colours of a number format.
const FORMAT_LITERALS = /"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

const DURATION_PATTERN = /\[(?:h+|m+|s+)\]/i;

/** What numbers of a format represent: a date or time, a duration, or undefined for a plain number. */
type NumberKind = 'date' | 'duration' | undefined;

/** Returns what numbers of a format represent. */
function getNumberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined)
    return id === BUILT_IN_DURATION_FORMAT ? 'duration' : isBuiltInDateFormat(id) ? 'date' : undefined;
  const [first = ''] = code.replaceAll(FORMAT_LITERALS, '').split(';');
  if (/general|[0#?]/i.test(first.replaceAll(/\.0+/g, '')) || !/[ymdhs]/i.test(first)) return undefined;
  return DURATION_PATTERN.test(first) ? 'duration' : 'date';
}

/** Rounds to a full second within the precision of serial numbers. */
function roundToSecond(time: number): number {
  const whole = Math.round(time / SECOND_MS) * SECOND_MS;
  return Math.abs(time - whole) < ROUNDING_MS ? whole : Math.round(time);
}

/** Formats a serial number as a day, a timestamp without a zone, or a time without a day. */
function formatSerialDate(serial: number, is1904: boolean): string {
  if (!is1904 && Math.floor(serial) === FALSE_LEAP_DAY) return '1900-02-29';
  const counted = is1904 ? serial + DAYS_FROM_1900_TO_1904 : serial;
  const isEarly = !is1904 && serial >= 1 && serial < FALSE_LEAP_DAY;
  const at = new Date(roundToSecond((counted - UNIX_EPOCH_SERIAL + (isEarly ? 1 : 0)) * DAY_MS));
  if (Number.isNaN(at.getTime())) return String(serial);
  const text = at.toISOString();
  if (serial >= 0 && serial < 1) return text.slice(11, -1).replace('.000', '');
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, -1);
}

/** Formats a duration given in days as `hh:mm:ss`; hours may exceed 24. */
function formatDuration(days: number): string {
  const seconds = Math.round((Math.abs(days) * DAY_MS) / SECOND_MS);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** Normalizes an ISO 8601 date cell (`t="d"`): removes the zone and a time of midnight. */
const normalizeIsoDate = (text: string): string =>
  text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace(/Z$/, '');
