/** The tables of who may act for whom and what they did, as the statements see them (tables.ts). */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** A time that the database sets when the statement does not. */
type Stamp = ColumnType<Date, Date | undefined, Date>;
/** A column that also may be null. */
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

interface ProxyAssignmentTable {
  site_id: number;
  /** Who may act, */
  proxy_id: number;
  /** and for whom. */
  user_id: number;
  created_at: Stamp;
  created_by: Nullable<number>;
}

interface ActingReportTable {
  site_id: number;
  report_id: GeneratedAlways<number>;
  proxy_id: number;
  principal_id: number;
  source: 'console' | 'api';
  /** Day in UTC, of a report of programs. */
  day: Nullable<string>;
  reason: Nullable<string>;
  started_at: Stamp;
  last_step_at: Nullable<Date>;
  ended_at: Nullable<Date>;
  steps: Generated<number>;
}

interface ActingStepTable {
  site_id: number;
  report_id: number;
  at: Date;
  step_id: GeneratedAlways<number>;
  operation_id: string;
  /** What the contract said of the operation then. */
  summary: string;
  subject: string;
  is_write: boolean;
  /** Null while it is being done, and for ever where the service was killed meanwhile. */
  status: Nullable<number>;
}

export interface ProxyTables {
  proxy_assignment: ProxyAssignmentTable;
  acting_report: ActingReportTable;
  acting_step: ActingStepTable;
}
