/** Separators of entries on a line outside a table. */
const SEPARATORS = ',;|\t';
/** Times of log lines; the fraction after their comma would look like an id. */
const TIMES = /\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?/g;
const CONNECTIVES = /\s(?:and|or|und|oder|et|och|og|&|\+)\s/i;
const LINE_ENDS = /\r\n?|\n/;
const BLANK = /\s/;

/** An entry of a line. */
export interface Cell {
  text: string;
  /** Number of the field; cells separated only by commas share it, because "Last, First" may be one entry. */
  field: number;
}

/** Splits a text into lines and removes times. */
export const splitLines = (text: string): string[] => text.replaceAll(TIMES, ' ').split(LINE_ENDS);

/** Splits any line into its non-empty cells; a quoted cell may contain commas. */
export function splitCells(line: string): Cell[] {
  const cells: Cell[] = [];
  let field = 0;
  for (const { text, isQuoted, separator } of splitParts(line, SEPARATORS)) {
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

/** Splits a table line into its cells, including empty ones. */
export const splitColumns = (line: string, separator: string): string[] =>
  Array.from(splitParts(line, separator), ({ text }) => text.trim());

interface LinePart {
  text: string;
  isQuoted: boolean;
  /** The separator that follows; undefined at the end of the line. */
  separator: string | undefined;
}

function* splitParts(line: string, separators: string): Generator<LinePart> {
  let start = 0;
  while (start <= line.length) {
    const quoted = parseQuotedPart(line, start, separators);
    const end = quoted?.end ?? findSeparator(line, start, separators);
    yield {
      text: quoted?.text ?? line.slice(start, end),
      isQuoted: quoted !== undefined,
      separator: line[end],
    };
    start = end + 1;
  }
}

function findSeparator(line: string, start: number, separators: string): number {
  let end = start;
  while (end < line.length && !separators.includes(line[end] ?? '')) end += 1;
  return end;
}

/** Parses a quoted part as spreadsheets write it, with doubled quotes; undefined if the quotes are unbalanced. */
function parseQuotedPart(line: string, start: number, separators: string) {
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
