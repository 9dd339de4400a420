import { formatSerialDate, normalizeIsoDate, formatDuration } from './dates.ts';
import type { NumberKind } from './dates.ts';
import { createXmlReader } from './xml-reader.ts';
import type { Attributes } from './xml-reader.ts';

/** Parts of the workbook that cells refer to. */
export interface SharedParts {
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
export function createStringsReader() {
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

const normalizeNumber = (text: string): string => {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : String(value);
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
    if (numberKind === 'span') return formatDuration(Number(value));
    return numberKind === 'date' ? formatSerialDate(Number(value), is1904) : normalizeNumber(value);
  }
  // Result or error of a formula.
  return copyString(type === 'str' ? unescapeText(value) : value);
}

/** Creates a reader of a sheet's rows with their numbers; missing cells are empty. */
export function createSheetReader(shared: SharedParts, onItem: (row: number, cells: string[]) => void) {
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
