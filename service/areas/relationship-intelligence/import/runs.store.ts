import { sql } from 'kysely';
import type {
  ImportCounts,
  ImportKind,
  ImportWarningCount,
} from '../../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { Page } from '../../../kernel/db/list-page.ts';
import { KIND_NUMBER } from './items.store.ts';

/** How long runs are kept. */
const RUN_RETENTION_DAYS = 90;

/** An import as it is recorded. */
export interface Run {
  siteId: number;
  kind: ImportKind;
  isDryRun: boolean;
  startedDate: Date;
  callerId: number;
  jobId: number | null;
  userCount: number;
  counts: ImportCounts;
  warnings: ImportWarningCount[];
  /** JSON list of the results per user. */
  results: string;
  refusal: string | null;
}

export async function insertRun(db: Db | Tx, run: Run): Promise<void> {
  const { counts } = run;
  await sql`insert into ri_run (site_id, kind, is_dry_run, started_at, duration_ms, caller_id, job_id, user_count, received, added,
      already_processed, skipped, warnings, results, refusal)
    values (${run.siteId}, ${KIND_NUMBER[run.kind]}, ${run.isDryRun}, ${run.startedDate},
      greatest(0, extract(epoch from clock_timestamp() - ${run.startedDate}::timestamptz) * 1000)::int, ${run.callerId}, ${run.jobId},
      ${run.userCount}, ${counts.received}, ${counts.added}, ${counts.alreadyProcessed}, ${counts.skipped},
      ${JSON.stringify(run.warnings)}::jsonb, ${run.results}, ${run.refusal})`.execute(db);
}

export interface StoredRun {
  id: number;
  kind: ImportKind;
  isDryRun: boolean;
  startedDate: Date;
  durationMs: number;
  callerId: number;
  callerName: string | null;
  jobId: number | null;
  userCount: number;
  counts: ImportCounts;
  warnings: ImportWarningCount[];
  refusal: string | null;
}

const RUN_COLUMNS = sql`r.run_id as id, case r.kind when 1 then 'emails' else 'meetings' end as kind, r.is_dry_run as "isDryRun",
  r.started_at as "startedDate", r.duration_ms as "durationMs", r.caller_id as "callerId",
  case when m.user_id is not null then a.first_name || ' ' || a.last_name end as "callerName", r.job_id as "jobId",
  r.user_count as "userCount", jsonb_build_object('received', r.received, 'added', r.added, 'alreadyProcessed', r.already_processed,
    'skipped', r.skipped) as counts, r.warnings, r.refusal`;

/** A page of the runs, the latest first. */
export async function listRuns(
  db: Db,
  siteId: number,
  kind: ImportKind | undefined,
  page: Page,
): Promise<StoredRun[]> {
  const { rows } = await sql<StoredRun>`
    select ${RUN_COLUMNS} from ri_run r left join account a on a.user_id = r.caller_id
    left join membership m on m.site_id = r.site_id and m.user_id = r.caller_id
    where r.site_id = ${siteId} ${kind ? sql`and r.kind = ${KIND_NUMBER[kind]}` : sql``}
    order by r.run_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

export async function findRun(
  db: Db,
  siteId: number,
  runId: number,
): Promise<(StoredRun & { results: string }) | undefined> {
  const { rows } = await sql<StoredRun & { results: string }>`
    select ${RUN_COLUMNS}, r.results from ri_run r left join account a on a.user_id = r.caller_id
    left join membership m on m.site_id = r.site_id and m.user_id = r.caller_id
    where r.site_id = ${siteId} and r.run_id = ${runId}`.execute(db);
  return rows[0];
}

const ROWS_PER_STEP = 1_000;

/** Deletes runs after 90 days. @returns whether there may be more */
export async function deleteOldRuns(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from ri_run where (site_id, run_id) in (
    select site_id, run_id from ri_run where started_at < now() - make_interval(days => ${RUN_RETENTION_DAYS})
    order by started_at limit ${ROWS_PER_STEP})`.execute(db);
  return numAffectedRows === BigInt(ROWS_PER_STEP);
}
