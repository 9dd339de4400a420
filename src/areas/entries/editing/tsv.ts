import { csvLine, unguard } from '../../../files/csv.ts';

const MARKS = /["\t\r\n]/;

/** A cell guarded like those of CSV files: a sheet takes no text for a formula (security T19). */
function writeCell(cell: string | number): string {
  const quoted = csvLine([cell]).slice(0, -'\r\n'.length);
  if (typeof cell === 'number') return quoted;
  return MARKS.test(cell) ? quoted : quoted.slice(1, -1);
}

/** A block of cells as spreadsheets copy it; cells with tabs, line ends or quotes stand in quotes. */
export const toTsv = (block: readonly (readonly (string | number)[])[]): string =>
  block.map((row) => row.map(writeCell).join('\t')).join('\r\n');

const QUOTED = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y;
const BARE = /[^\t\r\n]*/y;
const END = /\r\n|[\t\r\n]|$/y;

/** Reads a block that was copied from a sheet. A line end after the last row is none. */
export function readTsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const taken = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  let at = 0;
  for (;;) {
    const quoted = taken(QUOTED, at);
    const cell = quoted?.[1]?.replaceAll('""', '"') ?? taken(BARE, at)?.[0] ?? '';
    rows.at(-1)?.push(unguard(cell));
    at += quoted ? quoted[0].length : cell.length;
    const end = taken(END, at)?.[0] ?? '';
    at += end.length;
    if (end === '' || (end !== '\t' && at === text.length)) return rows;
    if (end !== '\t') rows.push([]);
  }
}
