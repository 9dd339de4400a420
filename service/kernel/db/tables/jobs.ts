/** Tables of jobs (migrations/0020_jobs.ts, 0035_backup_jobs.ts). */
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { Nullable, Timestamp } from './columns.ts';

export type JobState = 'uploading' | 'waiting' | 'running' | 'paused' | 'finished' | 'cancelled' | 'stopped';

interface JobTable {
  site_id: number;
  job_id: GeneratedAlways<number>;
  kind: string;
  title: string;
  state: Generated<JobState>;
  /** Null for a job of the service itself. */
  owner_id: number | null;
  principal_id: number | null;
  report_id: number | null;
  scopes: string[] | null;
  is_proven: boolean;
  is_federated: boolean;
  ip: string;
  request_id: string;
  parameters: JSONColumnType<object>;
  total: number;
  done: Generated<number>;
  unchanged: Generated<number>;
  conflicts: Generated<number>;
  failed: Generated<number>;
  refused: Nullable<number>;
  inverse_of: Nullable<number>;
  after_job_id: Nullable<number>;
  not_before: Nullable<Date>;
  created_at: Timestamp;
  started_at: Nullable<Date>;
  finished_at: Nullable<Date>;
  stop_reason: Nullable<string>;
  fence: Generated<number>;
  lease_until: Nullable<Date>;
  last_turn_at: Nullable<Date>;
  attempts: Generated<number>;
  retry_at: Nullable<Date>;
  last_error: Nullable<string>;
  /** What a job that does not change items works on. */
  stage: Nullable<string>;
  cleared_to: Generated<number>;
  /** Ids of the rows selected for an export (migrations/0024_job_input.ts). */
  selected_ids: Nullable<number[]>;
}

interface JobItemTable {
  site_id: number;
  job_id: number;
  item_no: number;
  input: JSONColumnType<object>;
  label: Nullable<string>;
  detail: Nullable<string>;
  /** 0 open, 1 done, 2 unchanged, 3 conflict, 4 failed. */
  state: Generated<number>;
  reason: Nullable<string>;
  before: Nullable<unknown>;
  ended_at: Nullable<Date>;
}

interface JobPartTable {
  site_id: number;
  job_id: number;
  part_no: number;
  first_item: number;
  item_count: number;
  byte_count: number;
  hash: Buffer;
  received_at: Timestamp;
}

interface JobFileTable {
  site_id: number;
  job_id: number;
  fence: number;
  name: string;
  media_type: string;
  /** Bytes on the disk; 0 once the file is removed. */
  size: number;
  byte_count: number;
  sha256: Buffer;
  row_count: number;
  expires_at: Date;
  removed_at: Nullable<Date>;
}

interface JobFileLinkTable {
  token_hash: Buffer;
  site_id: number;
  job_id: number;
  user_id: number;
  ip: string | null;
  expires_at: Date;
  started_at: Nullable<Date>;
}

export interface JobTables {
  job: JobTable;
  job_item: JobItemTable;
  job_part: JobPartTable;
  job_file: JobFileTable;
  job_file_link: JobFileLinkTable;
}
