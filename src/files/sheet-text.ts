/** As many characters fit into a cell of a sheet. */
export const MOST_CELL_TEXT = 32_767;

/** What stands for a text that is too long for a cell; an import takes it for a cell that says nothing. */
export const TOO_LONG = '(longer than a cell of a workbook: export as CSV)';

// What XML cannot hold or a reader changes, and what would be read as an escape (ECMA-376 part 1, 22.9.2.19). No more:
// not every program undoes the escapes of what could have stood there as it is.
// oxlint-disable-next-line no-control-regex
const ESCAPED = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/giu;

const escapeUnit = (unit: string): string =>
  `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/** A text as a cell of a sheet holds it: every reader of workbooks undoes these escapes. */
export function sheetText(text: string): string {
  if (text.length > MOST_CELL_TEXT) return TOO_LONG;
  return text.replaceAll(ESCAPED, escapeUnit);
}
