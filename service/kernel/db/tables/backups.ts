/** Tables of backups (migrations/0010_backups.ts, 0035_backup_jobs.ts). */
import type { Generated, GeneratedAlways } from 'kysely';
import type { Nullable, Timestamp } from './columns.ts';

interface BackupTable {
  site_id: number;
  backup_id: GeneratedAlways<number>;
  file_name: string;
  /** Name of the file in the data folder. */
  storage_id: Generated<string>;
  status: Generated<'Queued' | 'Running' | 'Ready' | 'Failed'>;
  /** Requested entry types; null for the whole site. */
  type_ids: Nullable<number[]>;
  entry_types: string[];
  includes_files: boolean;
  notify: Generated<boolean>;
  is_scheduled: Generated<boolean>;
  requested_by: Nullable<number>;
  /** The job that makes the backup. */
  job_id: Nullable<number>;
  created_at: Timestamp;
  started_at: Nullable<Date>;
  finished_at: Nullable<Date>;
  size: Nullable<number>;
  sha256: Nullable<Buffer>;
  schema_version: Nullable<number>;
  failure_reason: Nullable<'cancelled' | 'disk-full' | 'interrupted' | 'error'>;
  failure_message: Nullable<string>;
  verify_state: Nullable<'queued' | 'running' | 'passed' | 'failed'>;
  verify_at: Nullable<Date>;
  verify_message: Nullable<string>;
  verify_holder: Nullable<string>;
  verify_lease_until: Nullable<Date>;
  verify_fence: Generated<number>;
  deleted_at: Nullable<Date>;
}

interface BackupDownloadTable {
  site_id: number;
  download_id: GeneratedAlways<number>;
  backup_id: number;
  user_id: number;
  ip: Nullable<string>;
  /** Hash of the token of a download link. */
  token_hash: Nullable<Buffer>;
  session_id: Nullable<string>;
  created_at: Timestamp;
  expires_at: Nullable<Date>;
  /** Null for an unused link. */
  started_at: Nullable<Date>;
  bytes_sent: Generated<number>;
  is_complete: Generated<boolean>;
}

interface BackupSettingsTable {
  site_id: number;
  is_daily: Generated<boolean>;
  hour: Generated<number>;
  keep_days: Generated<number>;
  include_files: Generated<boolean>;
  verify: Generated<boolean>;
  /** Day of the last scheduled backup, in the site's time zone. */
  last_day: Nullable<string>;
}

export interface BackupTables {
  backup: BackupTable;
  backup_download: BackupDownloadTable;
  backup_settings: BackupSettingsTable;
}
