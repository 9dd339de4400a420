/** Tables of template reports (migrations/0034_reports.ts, 0045_report_schedules.ts). */
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { Nullable, Timestamp } from './columns.ts';

interface ReportTemplateTable {
  site_id: number;
  template_id: GeneratedAlways<number>;
  name: string;
  description: string | null;
  type_id: number;
  /** The current version. */
  version: number;
  edition: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
  modified_by: number | null;
}

interface ReportTemplateVersionTable {
  site_id: number;
  template_id: number;
  version: number;
  type_id: number;
  format: 'docx' | 'xlsx';
  file_name: string;
  /** Bytes that count for the storage of the site; 0 once the file is removed. */
  size: number;
  byte_count: number;
  sha256: Buffer;
  content: Nullable<Buffer>;
  texts: JSONColumnType<object>;
  created_at: Timestamp;
  created_by: number | null;
}

interface ReportResultTable {
  site_id: number;
  job_id: number;
  entry_count: number;
  data_at: Date;
  data_hash: Buffer;
  reader_count: number;
  packed_values: Nullable<Buffer>;
}

interface ReportScheduleTable {
  site_id: number;
  schedule_id: GeneratedAlways<number>;
  template_id: number;
  owner_id: number;
  scopes: string[] | null;
  is_federated: boolean;
  ip: string;
  request: JSONColumnType<object>;
  selected_ids: number[] | null;
  recipients: number[];
  frequency: 'daily' | 'weekly' | 'monthly';
  /** Of the day. */
  minute: number;
  day: number | null;
  state: Generated<'active' | 'paused' | 'stopped'>;
  stop_reason: Nullable<string>;
  next_at: Date;
  time_zone: string;
  last_job_id: Nullable<number>;
  created_at: Timestamp;
}

export interface ReportTables {
  report_template: ReportTemplateTable;
  report_template_version: ReportTemplateVersionTable;
  report_result: ReportResultTable;
  report_schedule: ReportScheduleTable;
}
