import { sql } from 'kysely';
import { CAN_ACT, MEMBER_CAPABILITIES } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import type { JobState } from '../../kernel/db/tables/jobs.ts';
import type { ReportParameters } from './report-parameters.ts';

/** A report: its job, what it contains, and its file. */
export interface StoredRun {
  runId: number;
  state: JobState;
  done: number;
  total: number;
  createdDate: Date;
  finishedDate: Date | null;
  notBefore: Date | null;
  ownerId: number;
  principalId: number | null;
  ownerName: string | null;
  parameters: ReportParameters;
  stopReason: string | null;
  entryCount: number | null;
  dataDate: Date | null;
  dataHash: string | null;
  readerCount: number | null;
  fileName: string | null;
  size: number | null;
  sha256: string | null;
  expiresDate: Date | null;
  isRemoved: boolean;
  /** Users to whom the report is delivered, as far as they belong to the site. */
  recipients: { id: number; name: string }[];
  /** The selected entries; null for a query. Only of a single report. */
  selectedIds?: number[] | null;
}

const COLUMNS = sql`j.job_id as "runId", j.state, j.done, j.total, j.created_at as "createdDate", j.finished_at as "finishedDate",
  j.not_before as "notBefore", j.owner_id as "ownerId", j.principal_id as "principalId",
  a.first_name || ' ' || a.last_name as "ownerName", j.parameters, j.stop_reason as "stopReason",
  r.entry_count as "entryCount", r.data_at as "dataDate", encode(r.data_hash, 'hex') as "dataHash", r.reader_count as "readerCount",
  f.name as "fileName", f.byte_count as size, encode(f.sha256, 'hex') as sha256, f.expires_at as "expiresDate",
  f.removed_at is not null as "isRemoved",
  case when j.parameters ? 'recipients' then coalesce((
    select json_agg(json_build_object('id', rm.user_id, 'name', ra.first_name || ' ' || ra.last_name)
      order by lower(ra.first_name || ' ' || ra.last_name), rm.user_id)
    from membership rm join account ra on ra.user_id = rm.user_id
    where rm.site_id = j.site_id and j.parameters -> 'recipients' @> to_jsonb(rm.user_id)), '[]') else '[]' end as recipients`;

const FROM = sql`job j
  left join report_result r on r.site_id = j.site_id and r.job_id = j.job_id
  left join job_file f on f.site_id = j.site_id and f.job_id = j.job_id
  left join membership m on m.site_id = j.site_id and m.user_id = j.owner_id
  left join account a on a.user_id = m.user_id`;

export interface RunFilter {
  /** Only reports of this user, acting for the principal or for nobody, and those that were delivered to the user. */
  owner: { userId: number; principalId: number | null } | undefined;
  templateId: number | undefined;
  states: readonly JobState[] | undefined;
}

/** A page of reports, newest first. */
export async function listRuns(
  db: Db,
  siteId: number,
  { owner, templateId, states }: RunFilter,
  page: Page,
): Promise<StoredRun[]> {
  const { rows } = await sql<StoredRun>`
    select ${COLUMNS} from ${FROM} where j.site_id = ${siteId} and j.kind = 'report'
      ${
        owner
          ? sql`and (j.owner_id = ${owner.userId} and j.principal_id is not distinct from ${owner.principalId}::int
        or ${owner.principalId}::int is null and j.state = 'finished' and j.parameters -> 'recipients' @> to_jsonb(${owner.userId}::int))`
          : sql``
      }
      ${templateId === undefined ? sql`` : sql`and (j.parameters ->> 'templateId')::int = ${templateId}`}
      ${states ? sql`and j.state = any(${[...states]}::text[])` : sql``}
    order by j.job_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

export async function findRun(db: Db, siteId: number, runId: number): Promise<StoredRun | undefined> {
  const { rows } = await sql<StoredRun>`
    select ${COLUMNS}, j.selected_ids as "selectedIds" from ${FROM} where j.site_id = ${siteId} and j.kind = 'report' and j.job_id = ${runId}`.execute(
    db,
  );
  return rows[0];
}

/** Number of users of the site who may read entries. */
export async function countReaders(db: Db, siteId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from membership m
    where m.site_id = ${siteId} and ${CAN_ACT} and 'Read Data' = any(${MEMBER_CAPABILITIES})`.execute(db);
  return rows[0]?.n ?? 0;
}

/** What a report contains. */
export interface ReportResult {
  entryCount: number;
  dataDate: Date;
  dataHash: Buffer;
  readerCount: number;
  packedValues: Buffer | null;
}

export async function insertResult(
  tx: Tx,
  { siteId, jobId }: { siteId: number; jobId: number },
  result: ReportResult,
): Promise<void> {
  await tx
    .insertInto('report_result')
    .values({
      site_id: siteId,
      job_id: jobId,
      entry_count: result.entryCount,
      data_at: result.dataDate,
      data_hash: result.dataHash,
      reader_count: result.readerCount,
      packed_values: result.packedValues,
    })
    .execute();
}

/** The packed values of a report; undefined if they were not kept. */
export async function readPackedValues(db: Db, siteId: number, runId: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ packed: Buffer | null }>`
    select packed_values as packed from report_result where site_id = ${siteId} and job_id = ${runId}`.execute(
    db,
  );
  return rows[0]?.packed ?? undefined;
}

/** Sites with more files of reports than are kept. */
export async function listSitesBeyond(db: Db, keptRuns: number): Promise<number[]> {
  const { rows } = await sql<{ siteId: number }>`
    select s.site_id as "siteId" from site s where exists (
      select from job j join job_file f on f.site_id = j.site_id and f.job_id = j.job_id
      where j.site_id = s.site_id and j.kind = 'report' and f.removed_at is null and f.expires_at > now()
      offset ${keptRuns})`.execute(db);
  return rows.map(({ siteId }) => siteId);
}

/** Lets the files of all but the newest reports of a site expire. */
export async function expireOldFiles(tx: Tx, siteId: number, keptRuns: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update job_file set expires_at = now() where site_id = ${siteId} and job_id in (
      select j.job_id from job j join job_file f on f.site_id = j.site_id and f.job_id = j.job_id
      where j.site_id = ${siteId} and j.kind = 'report' and f.removed_at is null and f.expires_at > now()
      order by j.job_id desc offset ${keptRuns})`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes the values of reports whose file was removed. */
export async function deleteValuesWithoutFile(db: Db, siteId: number): Promise<void> {
  await sql`update report_result r set packed_values = null
    where r.site_id = ${siteId} and r.packed_values is not null and exists (select from job_file f
      where f.site_id = r.site_id and f.job_id = r.job_id and f.removed_at is not null)`.execute(db);
}

/** Sites that have values of reports whose file was removed. */
export async function listSitesWithLeftValues(db: Db): Promise<number[]> {
  const { rows } = await sql<{ siteId: number }>`
    select s.site_id as "siteId" from site s where exists (select from report_result r
      join job_file f on f.site_id = r.site_id and f.job_id = r.job_id
      where r.site_id = s.site_id and r.packed_values is not null and f.removed_at is not null)`.execute(db);
  return rows.map(({ siteId }) => siteId);
}
