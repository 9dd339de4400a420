/** What parts the entries of a line that is not a table. */
const SEPARATORS = ',;|\t';
/** A time of a log, whose fraction would else stand alone behind its comma like an id. */
const TIMES = /\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?/g;
const CONNECTIVES = /\s(?:and|or|und|oder|et|och|og|&|\+)\s/i;
const LINE_ENDS = /\r\n?|\n/;
const BLANK = /\s/;

/** A piece of a line. */
export interface Cell {
  text: string;
  /** Cells that only commas part have the same: "Last, First" may be one entry. */
  field: number;
}

/** The lines of a text, without times. */
export const linesOf = (text: string): string[] => text.replaceAll(TIMES, ' ').split(LINE_ENDS);

/** The cells of a line of anything, without the empty ones; a quoted cell may hold commas. */
export function cellsOf(line: string): Cell[] {
  const cells: Cell[] = [];
  let field = 0;
  for (const { text, isQuoted, separator } of partsOf(line, SEPARATORS)) {
    const hasFieldOfItsOwn = isQuoted && text.includes(',');
    if (hasFieldOfItsOwn) field += 1;
    for (const piece of hasFieldOfItsOwn ? text.split(',') : [text]) addCells(cells, piece, field);
    if (hasFieldOfItsOwn || separator !== ',') field += 1;
  }
  return cells;
}

function addCells(cells: Cell[], text: string, field: number): void {
  if (text.trim() === '') return;
  for (const piece of text.split(CONNECTIVES))
    if (piece.trim() !== '') cells.push({ text: piece.trim(), field });
}

/** The cells of a line of a table, with the empty ones. */
export const columnsOf = (line: string, separator: string): string[] =>
  Array.from(partsOf(line, separator), ({ text }) => text.trim());

interface Part {
  text: string;
  isQuoted: boolean;
  /** What comes after it. */
  separator: string | undefined;
}

function* partsOf(line: string, separators: string): Generator<Part> {
  let start = 0;
  while (start <= line.length) {
    const quoted = quotedFrom(line, start, separators);
    const end = quoted?.end ?? endFrom(line, start, separators);
    yield {
      text: quoted?.text ?? line.slice(start, end),
      isQuoted: quoted !== undefined,
      separator: line[end],
    };
    start = end + 1;
  }
}

function endFrom(line: string, start: number, separators: string): number {
  let end = start;
  while (end < line.length && !separators.includes(line[end] ?? '')) end += 1;
  return end;
}

/** A part in quotes, as spreadsheets write those that hold a separator; a quote in it is doubled. */
function quotedFrom(line: string, start: number, separators: string) {
  let at = start;
  while (line[at] === ' ') at += 1;
  if (line[at] !== '"') return undefined;
  let text = '';
  for (;;) {
    const close = line.indexOf('"', at + 1);
    if (close < 0) return undefined;
    text += line.slice(at + 1, close);
    at = close + 1;
    if (line[at] !== '"') break;
    text += '"';
  }
  while (at < line.length && BLANK.test(line[at] ?? '') && !separators.includes(line[at] ?? '')) at += 1;
  return at === line.length || separators.includes(line[at] ?? '') ? { text, end: at } : undefined;
}
