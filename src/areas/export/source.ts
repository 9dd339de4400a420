import type { EntryExport, Job } from '../../../contract/generated/types.gen.ts';

export type ExportFormat = EntryExport['format'];

/** An export by the service, as the dialog shows it. */
export interface ExportSource {
  /** Formats a number of rows: "120 people". */
  formatCount: (rows: number) => string;
  /** Number of rows, as known before reading. */
  total: number;
  /** Search and filters as text; part of the file name and the sheet "About". */
  filter: string | undefined;
  /** Note on the state of the rows, shown with the formats. */
  note?: string;
  /** Hint on the use of a CSV file. */
  csvHint?: string;
  /** The same table with additional columns, offered as an option. */
  extended?: { label: string; hint: string; source: ExportSource };
  /** Variants of the table; the first is this one. */
  variants?: { label: string; options: readonly { label: string; source: ExportSource }[] };
  /** Starts the job that makes the file. @throws ServiceError */
  start: (format: ExportFormat) => Promise<Job>;
}
