import type { Encoding } from './decode-text.ts';

/** Kind of a file with the properties that can be chosen. */
export type TableSource =
  | { kind: 'text'; separator: string; encoding: Encoding }
  | { kind: 'json' }
  | { kind: 'workbook'; sheet: number; sheets: readonly SheetInfo[] };

/** A sheet of a workbook; `rows` counts those below the heading. */
export interface SheetInfo {
  name: string;
  rows: number;
  isHidden: boolean;
}

/** Choices of the user: sheet of a workbook, separator and encoding of a text. */
export interface ReadOptions {
  sheet?: number;
  separator?: string;
  encoding?: Encoding;
}

/** A record of the file; `row` is its number in a spreadsheet, where the first line of the file is row 1. */
export interface FileRow {
  row: number;
  cells: readonly string[];
  /** Error of the record itself. */
  error?: string;
}

/** A table read from a file. */
export interface Table {
  headings: readonly string[];
  rows: readonly FileRow[];
  source: TableSource;
}

/** Reason why a file cannot be read as a table. */
export interface TableError {
  error: string;
}
