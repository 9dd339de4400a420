import type { ReportRunRequest } from '../../../contract/generated/types.gen.ts';

/** Request of a report as its job stores it; the ids of selected entries are stored with the job. */
export interface ReportParameters {
  templateId: number;
  templateName: string;
  /** Version at the start: a later one does not change a report that waits. */
  version: number;
  entryTypeId: number;
  typeName: string;
  /** Paths that the template names, for the activity report. */
  fields: readonly string[];
  format: ReportRunRequest['format'];
  document: 'one' | 'zip';
  /** Number of selected entries; null for a query. */
  selected: number | null;
  query?: ReportRunRequest['query'];
  orderBy?: string;
  asOf?: string;
  timeZone: string;
  filterText?: string;
  /** Ids of the users to whom the report is delivered. */
  recipients?: readonly number[];
  /** The schedule that generates it. */
  scheduleId?: number;
}
