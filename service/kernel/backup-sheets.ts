/** Backup sheets: which columns of which tables a backup holds. Areas declare theirs in `area.ts`. */

/** How a column is written to CSV: as it is, as quoted text, as a UTC timestamp, as JSON, or as hexadecimal digits. */
type ColumnFormat = 'plain' | 'text' | 'time' | 'json' | 'hex';

export interface SheetColumn {
  name: string;
  format: ColumnFormat;
  /** Kind of ids that it contains, which may differ on another installation. */
  references?: 'user' | 'group';
  /** Format version that introduced the column; undefined: the first. */
  sinceFormat?: number;
}

export interface TableSheet {
  /** Path in the ZIP. */
  name: string;
  /** Category shown to users (contract, BackupMember). */
  kind: string;
  /** Table or view of rows with a `site_id`. */
  from: string;
  columns: readonly SheetColumn[];
  /** Integer columns that identify and order the rows; without them the sheet is small and read at once. */
  keys?: readonly string[];
  /** Columns whose values may be large. */
  largeColumns?: readonly string[];
  /** Whether backups written by earlier versions do not have the sheet. */
  isOptional?: boolean;
  /** Whether rows belong to entry types, so that a backup of some types contains only theirs. */
  isByEntryType?: boolean;
}

export const plainColumns = (...names: string[]): SheetColumn[] =>
  names.map((name) => ({ name, format: 'plain' }));
export const textColumns = (...names: string[]): SheetColumn[] =>
  names.map((name) => ({ name, format: 'text' }));
export const timeColumns = (...names: string[]): SheetColumn[] =>
  names.map((name) => ({ name, format: 'time' }));
export const jsonColumns = (...names: string[]): SheetColumn[] =>
  names.map((name) => ({ name, format: 'json' }));
/** Columns that hold user ids. */
export const userColumns = (...names: string[]): SheetColumn[] =>
  names.map((name) => ({ name, format: 'plain', references: 'user' }));
export const GROUP_ID_COLUMN: SheetColumn = { name: 'group_id', format: 'plain', references: 'group' };
