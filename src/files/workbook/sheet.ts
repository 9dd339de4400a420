import { dateText, isoText, spanText } from './dates.ts';
import type { Shown } from './dates.ts';
import { createXmlReader } from './xml.ts';
import type { Attributes } from './xml.ts';

/** What cells of a sheet refer to. */
export interface Shared {
  strings: readonly string[];
  /** By the number of a style: as what it shows numbers. */
  styles: readonly Shown[];
  is1904: boolean;
}

/** As many rows and columns a sheet has at most. */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;

const ESCAPE = /_x([0-9a-f]{4})_/gi;
/** A text with the escapes of sheets undone (ECMA-376 part 1, 22.9.2.19). */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

// A piece of a long text keeps all of it in memory: put together anew it is on its own.
const own = (text: string): string => ` ${text}`.slice(1);

const hasRuns = (name: string): boolean => name === 'si' || name === 'is';

/** Collects the texts of shared and inline strings: all runs of one, without the readings of their signs. */
function createTexts(take: (text: string) => void) {
  let text = '';
  let [inside, inText, inReading] = [false, false, false];
  return {
    open(name: string): void {
      if (hasRuns(name)) [text, inside] = ['', true];
      else if (name === 'rPh') inReading = true;
      else if (name === 't') inText = inside;
    },
    close(name: string): void {
      if (name === 't') inText = false;
      else if (name === 'rPh') inReading = false;
      else if (hasRuns(name)) {
        inside = false;
        take(own(unescaped(text)));
      }
    },
    text(piece: string): void {
      if (inText && !inReading) text += piece;
    },
  };
}

/** Reads the strings that cells share. */
export function createStringsReader() {
  const strings: string[] = [];
  return { ...createXmlReader(createTexts((text) => strings.push(text))), strings };
}

/** The place of a column: `A` is 0, `AA` is 26. */
function columnOf(address: string): number {
  let column = 0;
  for (let at = 0; at < address.length; at += 1) {
    // Letters of any case; digits end it.
    const letter = (address.charCodeAt(at) | 0x20) - 0x60;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

const number = (text: string): string => {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : String(value);
};

/** What a cell holds as the text that a CSV file would have; of a formula what it was when the file was saved. */
function cellText(type: string, style: number, value: string, { strings, styles, is1904 }: Shared): string {
  if (value === '') return '';
  if (type === 's') {
    const text = strings[Number(value)];
    if (text === undefined) throw new Error('A text is missing');
    return text;
  }
  if (type === 'b') return value === '1' || value === 'true' ? 'Yes' : 'No';
  if (type === 'd') return own(isoText(value));
  if (type === 'n' || type === '') {
    const shown = styles[style];
    if (shown === 'span') return spanText(Number(value));
    return shown === 'date' ? dateText(Number(value), is1904) : number(value);
  }
  // The result of a formula, or its error.
  return own(type === 'str' ? unescaped(value) : value);
}

/** Reads the rows of a sheet, each with its number; cells that are not there are empty. */
export function createSheetReader(shared: Shared, take: (row: number, cells: string[]) => void) {
  let [row, cells]: [number, string[]] = [0, []];
  let [column, type, style, value] = [-1, '', 0, ''];
  let [inValue, isOver] = [false, false];
  const texts = createTexts((text) => {
    value = text;
  });

  function openCell({ r, t = '', s = '' }: Attributes): void {
    // Writers may leave the address out: it is the next one.
    column = r === undefined ? column + 1 : columnOf(r);
    if (column < 0 || column >= MOST_COLUMNS) throw new Error('There is no such column');
    [type, style, value] = [t, Number(s), ''];
  }
  function closeCell(): void {
    const text = type === 'inlineStr' ? value : cellText(type, style, value, shared);
    if (text === '') return;
    while (cells.length < column) cells.push('');
    cells[column] = text;
  }
  function openRow({ r }: Attributes): void {
    const next = r === undefined ? row + 1 : Number(r);
    if (!(next > row && next <= MOST_ROWS)) throw new Error('There is no such row');
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
      else if (name === 'row') take(row, cells);
      else if (name === 'sheetData') isOver = true;
      else texts.close(name);
    },
    text(piece) {
      if (inValue) value += piece;
      else texts.text(piece);
    },
  });
}
