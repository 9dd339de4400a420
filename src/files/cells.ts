import { joinNames } from './name-list.ts';

/** A day or a moment: in a sheet a date, elsewhere a text. */
interface SheetDate {
  text: string;
  /** What clocks show, as if it were UTC: in milliseconds. */
  wall: number;
  isDay: boolean;
}

/** A list of names or numbers is one text where cells are; a switch is Yes or No there. */
export type ExportCell = string | number | boolean | Date | SheetDate | readonly (string | number)[];

const SECOND = 1000;
const FIRST = Date.UTC(1901, 0);
const LAST = Date.UTC(10_000, 0);

/** A date as a cell. What sheets have no date for, fractions of seconds and other centuries, is a text there too. */
export function sheetDate(text: string, wall: number, isDay: boolean): ExportCell {
  return wall >= FIRST && wall < LAST && wall % SECOND === 0 ? { text, wall, isDay } : text;
}

export const isList = (cell: ExportCell): cell is readonly (string | number)[] => Array.isArray(cell);

/** A switch or a list as cells of tables show it. */
export const inWords = (cell: boolean | readonly (string | number)[]): string => {
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No';
  return joinNames(cell.map(String));
};
