/** As many characters fit into a cell of a sheet. */
const MOST = 32_767;

/** What stands for a text that is too long for a cell; an import takes it for a cell that says nothing. */
export const TOO_LONG = '(longer than a cell of a workbook: export as CSV)';

// What XML cannot hold or a reader changes, and what would be read as an escape (ECMA-376 part 1, 22.9.2.19).
const ESCAPED =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufffd-\uffff]|[\u{1fffe}\u{1ffff}\u{2fffe}\u{2ffff}\u{3fffe}\u{3ffff}\u{4fffe}\u{4ffff}\u{5fffe}\u{5ffff}\u{6fffe}\u{6ffff}\u{7fffe}\u{7ffff}\u{8fffe}\u{8ffff}\u{9fffe}\u{9ffff}\u{afffe}\u{affff}\u{bfffe}\u{bffff}\u{cfffe}\u{cffff}\u{dfffe}\u{dffff}\u{efffe}\u{effff}\u{ffffe}\u{fffff}\u{10fffe}\u{10ffff}]|_(?=x[0-9a-f]{4}_)/giu;

const escapeUnit = (unit: string): string =>
  `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/** A text as a cell of a sheet holds it: every reader of workbooks undoes these escapes. */
export function sheetText(text: string): string {
  if (text.length > MOST) return TOO_LONG;
  return text.replaceAll(ESCAPED, (found) => found.split('').map(escapeUnit).join(''));
}
