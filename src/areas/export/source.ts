import type { ExportCell } from '../../../contract/rules/tables/cells.ts';
import type { ListSearchParams } from './export-store.ts';

/** Table to export, read in portions of formatted cells. */
export interface ExportSource {
  /** Subject in the activity report and prefix of the file name: `users`. */
  subject: string;
  /** Name of the worksheet. */
  sheet: string;
  /** Formats a number of rows: "120 people". */
  formatCount: (rows: number) => string;
  columns: readonly { heading: string; width: number }[];
  /** Number of rows, as known before reading. */
  total: number;
  /** Search and filters as text; part of the file name and the sheet "About". */
  filter: string | undefined;
  /** Note on the state of the rows, shown with the formats and in the sheet "About". */
  note?: string;
  /** Search parameters of the exported list. */
  search: ListSearchParams | undefined;
  /** Hint on the use of a CSV file. */
  csvHint?: string;
  /** Whether it takes long even with few rows. */
  isSlow?: boolean;
  /** The same table with additional columns, offered as an option. */
  extended?: { label: string; hint: string; source: ExportSource };
  /** Variants of the table; the first is this one. */
  variants?: { label: string; options: readonly { label: string; source: ExportSource }[] };
  portions: (signal: AbortSignal) => AsyncIterable<readonly (readonly ExportCell[])[]>;
}
