/** The tables of backups as the statements see them (tables.ts). */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** A time that the database sets when the statement does not. */
type Stamp = ColumnType<Date, Date | undefined, Date>;
/** A column that also may be null. */
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

interface BackupTable {
  site_id: number;
  backup_id: GeneratedAlways<number>;
  file_name: string;
  /** Under which the bytes lie in the data folder. */
  storage_id: Generated<string>;
  status: Generated<'Queued' | 'Running' | 'Ready' | 'Failed'>;
  /** Entry types that were asked for; null: the whole site. */
  type_ids: Nullable<number[]>;
  entry_types: string[];
  includes_files: boolean;
  notify: Generated<boolean>;
  is_scheduled: Generated<boolean>;
  requested_by: Nullable<number>;
  created_at: Stamp;
  started_at: Nullable<Date>;
  finished_at: Nullable<Date>;
  progress: Generated<number>;
  stage: Nullable<string>;
  size: Nullable<number>;
  sha256: Nullable<Buffer>;
  schema_version: Nullable<number>;
  failure_reason: Nullable<'cancelled' | 'disk-full' | 'interrupted' | 'error'>;
  failure_message: Nullable<string>;
  /** The process that makes it, and until when it says so. */
  holder: Nullable<string>;
  lease_until: Nullable<Date>;
  verify_state: Nullable<'queued' | 'running' | 'passed' | 'failed'>;
  verify_at: Nullable<Date>;
  verify_message: Nullable<string>;
  verify_holder: Nullable<string>;
  verify_lease_until: Nullable<Date>;
  deleted_at: Nullable<Date>;
}

interface BackupDownloadTable {
  site_id: number;
  download_id: GeneratedAlways<number>;
  backup_id: number;
  user_id: number;
  ip: Nullable<string>;
  /** Of a link. */
  token_hash: Nullable<Buffer>;
  session_id: Nullable<string>;
  created_at: Stamp;
  expires_at: Nullable<Date>;
  /** Null: a link that nobody has used. */
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
  /** Day on the site of the last scheduled one. */
  last_day: Nullable<string>;
}

export interface BackupTables {
  backup: BackupTable;
  backup_download: BackupDownloadTable;
  backup_settings: BackupSettingsTable;
}
