import { formatCsvRow, removeFormulaGuard } from '../../../files/csv.ts';

const SPECIAL_CHARACTERS = /["\t\r\n]/;

/** Formats a cell with the formula guard of CSV files, so that spreadsheets do not run texts as formulas (security T19). */
function formatCell(cell: string | number): string {
  const quoted = formatCsvRow([cell]).slice(0, -'\r\n'.length);
  if (typeof cell === 'number') return quoted;
  return SPECIAL_CHARACTERS.test(cell) ? quoted : quoted.slice(1, -1);
}

/** Formats cells as spreadsheets copy them; cells with tabs, line ends or quotes are quoted. */
export const toTsv = (block: readonly (readonly (string | number)[])[]): string =>
  block.map((row) => row.map(formatCell).join('\t')).join('\r\n');

const QUOTED_CELL = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y;
const PLAIN_CELL = /[^\t\r\n]*/y;
const CELL_END = /\r\n|[\t\r\n]|$/y;

/**
 * Parses cells copied from a spreadsheet; a line end after the last row adds no row. Excel quotes a cell only if it
 * contains tabs or line ends, so a cell such as `"q"x` or `"open` is plain text. CSV parsers treat such a cell as
 * quoted and swallow what follows, hence this parser.
 */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let position = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = position;
    return pattern.exec(text);
  };
  for (;;) {
    const quoted = match(QUOTED_CELL);
    const cell = quoted?.[1]?.replaceAll('""', '"') ?? match(PLAIN_CELL)?.[0] ?? '';
    rows.at(-1)?.push(removeFormulaGuard(cell));
    position += quoted ? quoted[0].length : cell.length;
    const end = match(CELL_END)?.[0] ?? '';
    position += end.length;
    if (end === '' || (end !== '\t' && position === text.length)) return rows;
    if (end !== '\t') rows.push([]);
  }
}
