import { formatNameList } from './name-list.ts';

/** A day or a timestamp: a date in XLSX, a text in other formats. */
interface SheetDate {
  text: string;
  /** Wall time as if it were UTC, in milliseconds. */
  wallTimeMs: number;
  isDay: boolean;
}

/** Value of an exported cell; CSV and XLSX write a list as one text and a boolean as Yes or No. */
export type ExportCell = string | number | boolean | Date | SheetDate | readonly (string | number)[];

const SECOND_MS = 1000;
const MIN_SHEET_DATE_MS = Date.UTC(1901, 0);
const MAX_SHEET_DATE_MS = Date.UTC(10_000, 0);

/** Creates a date cell; dates that XLSX cannot represent (fractions of seconds, years before 1901) become text. */
export function toSheetDate(text: string, wallTimeMs: number, isDay: boolean): ExportCell {
  return wallTimeMs >= MIN_SHEET_DATE_MS && wallTimeMs < MAX_SHEET_DATE_MS && wallTimeMs % SECOND_MS === 0
    ? { text, wallTimeMs, isDay }
    : text;
}

export const isListCell = (cell: ExportCell): cell is readonly (string | number)[] => Array.isArray(cell);

/** Formats a boolean or a list for a cell. */
export const formatCellText = (cell: boolean | readonly (string | number)[]): string => {
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No';
  return formatNameList(cell.map(String));
};

/** Maximum characters of an XLSX cell. */
export const MAX_CELL_TEXT_LENGTH = 32_767;

/** Replaces a text that is too long for a cell; an import treats it as no value. */
export const TOO_LONG_PLACEHOLDER = '(longer than a cell of a workbook: export as CSV)';

// Characters that XML cannot contain or readers change, and texts that look like an escape (ECMA-376 part 1, 22.9.2.19).
// Other characters stay, because not every program decodes unnecessary escapes.
// oxlint-disable-next-line no-control-regex -- control characters are what is escaped
const ESCAPED_UNITS = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/giu;

const escapeUnit = (unit: string): string =>
  `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/** Escapes a text for an XLSX cell; readers of workbooks decode these escapes. */
export function escapeSheetText(text: string): string {
  if (text.length > MAX_CELL_TEXT_LENGTH) return TOO_LONG_PLACEHOLDER;
  return text.replaceAll(ESCAPED_UNITS, escapeUnit);
}
