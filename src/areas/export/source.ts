import type { ExportCell } from '../../../contract/rules/tables/cells.ts';
import type { ListSearchParams } from '../../app/exports/export-store.ts';
import type { FileFormat } from '../../files/file-writer.ts';

/** What the dialog shows of an export. */
interface ExportDescription {
  /** Formats a number of rows: "120 people". */
  formatCount: (rows: number) => string;
  /** Number of rows, as known before reading. */
  total: number;
  /** Search and filters as text; part of the file name and the sheet "About". */
  filter: string | undefined;
  /** Note on the state of the rows, shown with the formats and in the sheet "About". */
  note?: string;
  /** Hint on the use of a CSV file. */
  csvHint?: string;
  /** The same table with additional columns, offered as an option. */
  extended?: { label: string; hint: string; source: ExportSource };
  /** Variants of the table; the first is this one. */
  variants?: { label: string; options: readonly { label: string; source: ExportSource }[] };
}

/** Table that the browser writes to a file, read in portions of formatted cells. */
export interface TableExport extends ExportDescription {
  /** Subject in the activity report and prefix of the file name: `users`. */
  subject: string;
  /** Name of the worksheet. */
  sheet: string;
  columns: readonly { heading: string; width: number }[];
  /** Search parameters of the exported list. */
  search: ListSearchParams | undefined;
  /** Whether it takes long even with few rows. */
  isSlow?: boolean;
  portions: (signal: AbortSignal) => AsyncIterable<readonly (readonly ExportCell[])[]>;
}

/** Table that the service writes to a file, as a job. */
interface ServiceExport extends ExportDescription {
  /** Starts the job. @throws ServiceError */
  start: (format: FileFormat) => Promise<void>;
}

export type ExportSource = TableExport | ServiceExport;
