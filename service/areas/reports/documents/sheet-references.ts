/** Moves the references of a workbook when a row of a worksheet is repeated. */

/** A row that becomes several. */
export interface RepeatedRow {
  row: number;
  /** At least one: a row without entries stays, empty. */
  count: number;
}

/** New number of a row; of a repeated row the first or the last copy. */
function moveRow(row: number, repeated: readonly RepeatedRow[], end: 'first' | 'last'): number {
  let moved = row;
  for (const each of repeated)
    if (each.row < row || (each.row === row && end === 'last')) moved += each.count - 1;
  return moved;
}

const CELL = /^(\$?[A-Z]{1,3})(\$?)(\d{1,7})$/i;

/** Moves `A5` or `A5:B7`; other texts stay. */
export function moveRange(range: string, repeated: readonly RepeatedRow[]): string {
  const [first = '', last] = range.split(':');
  const move = (cell: string, end: 'first' | 'last') =>
    cell.replace(
      CELL,
      (_, column: string, fixed: string, row: string) =>
        `${column}${fixed}${moveRow(Number(row), repeated, end)}`,
    );
  return last === undefined ? move(first, 'first') : `${move(first, 'first')}:${move(last, 'last')}`;
}

/** Moves a list of ranges divided by spaces, as in `sqref`. */
export const moveRanges = (ranges: string, repeated: readonly RepeatedRow[]): string =>
  ranges
    .split(/\s+/)
    .map((range) => moveRange(range, repeated))
    .join(' ');

// Texts in quotes, and references to cells or ranges with the name of their worksheet.
const TOKENS =
  /"(?:[^"]|"")*"|((?:'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!)?(\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?)(?![\p{L}\p{N}_.(!])/giu;

const readSheetName = (prefix: string): string =>
  prefix
    .slice(0, -1)
    .replace(/^'(.*)'$/s, '$1')
    .replaceAll("''", "'");

/**
 * Moves the references of a formula.
 * @param sheet worksheet of the formula
 * @param findRepeated repeated rows of a worksheet by its name
 * @param copy in a copy of a repeated row: its number, so that references to the row follow the copy
 */
export function moveFormula(
  formula: string,
  sheet: string,
  findRepeated: (sheet: string) => readonly RepeatedRow[],
  copy?: { row: number; at: number },
): string {
  return formula.replaceAll(
    TOKENS,
    (token: string, prefix: string | undefined, range: string | undefined, offset: number) => {
      if (range === undefined || /[\p{L}\p{N}_.$]/u.test(formula.charAt(offset - 1))) return token;
      const name = prefix === undefined ? sheet : readSheetName(prefix);
      const repeated = findRepeated(name);
      const moved = range
        .split(':')
        .map((cell, at) => {
          const [, column = '', fixed = '', row = ''] = CELL.exec(cell) ?? [];
          if (copy && name === sheet && Number(row) === copy.row && fixed === '')
            return `${column}${moveRow(copy.row, repeated, 'first') + copy.at}`;
          return `${column}${fixed}${moveRow(Number(row), repeated, at === 0 ? 'first' : 'last')}`;
        })
        .join(':');
      return `${prefix ?? ''}${moved}`;
    },
  );
}
