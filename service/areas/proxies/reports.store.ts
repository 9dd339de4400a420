import { sql } from 'kysely';
import type { ActingReport, ProxyPerson } from '../../../contract/generated/types.gen.ts';
import { SESSION_IDLE_MINUTES } from '../../kernel/auth/callers.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import type { AuditTrailEntry } from '../../kernel/http/audit-trail.ts';

interface ReportRow {
  id: number;
  proxyUser: ProxyPerson;
  principal: ProxyPerson;
  source: 'console' | 'api';
  reason: string | null;
  startedAt: Date;
  endedAt: Date | null;
  steps: number;
}

const selectPerson = (alias: 'pa' | 'ua') => {
  const a = sql.id(alias);
  return sql`json_build_object('id', ${a}.user_id, 'email', ${a}.email, 'fullName', ${a}.first_name || ' ' || ${a}.last_name)`;
};

/**
 * End of a report. A session report ends when the session times out, whether or not the session has been deleted; a
 * report of a program ends with its last request once the day is over.
 */
const ENDED_AT = sql`coalesce(r.ended_at,
    case when r.day < (now() at time zone 'UTC')::date then coalesce(r.last_step_at, r.started_at) end,
    (select case when least(s.expires_at, s.last_seen_at + make_interval(mins => ${SESSION_IDLE_MINUTES})) <= now()
       then greatest(r.started_at, least(s.expires_at, s.last_seen_at + make_interval(mins => ${SESSION_IDLE_MINUTES}))) end
     from session s where s.acting_report_id = r.report_id))`;

const toReport = ({ startedAt, endedAt, ...row }: ReportRow): ActingReport => ({
  ...row,
  startedDate: startedAt.toISOString(),
  endedDate: endedAt?.toISOString() ?? null,
});

const selectReports = (siteId: number, reportIds: ReturnType<typeof sql>) => sql<ReportRow>`
  with picked as materialized (${reportIds})
  select r.report_id as id, ${selectPerson('pa')} as "proxyUser", ${selectPerson('ua')} as principal, r.source, r.reason,
         r.started_at as "startedAt", ${ENDED_AT} as "endedAt", r.steps
  from picked join acting_report r on r.site_id = ${siteId} and r.report_id = picked.report_id
  join account pa on pa.user_id = r.proxy_id join account ua on ua.user_id = r.principal_id
  order by r.report_id desc`;

/** A page of reports, newest first; with a user id, those in which the user acted or was acted for. */
export async function listReports(
  db: Db,
  siteId: number,
  userId: number | undefined,
  { limit, offset }: Page,
): Promise<ActingReport[]> {
  const maxRows = limit + offset;
  const selectIdsBy = (column: 'proxy_id' | 'principal_id') => sql`(select report_id from acting_report
    where site_id = ${siteId} and ${sql.id(column)} = ${userId} order by report_id desc limit ${maxRows})`;
  const candidates =
    userId === undefined
      ? sql`select report_id from acting_report where site_id = ${siteId}`
      : sql`select report_id from (${selectIdsBy('proxy_id')} union all ${selectIdsBy('principal_id')}) as either`;
  const { rows } = await selectReports(
    siteId,
    sql`${candidates} order by report_id desc limit ${limit} offset ${offset}`,
  ).execute(db);
  return rows.map(toReport);
}

export async function getReport(db: Db, siteId: number, reportId: number): Promise<ActingReport | undefined> {
  const { rows } = await selectReports(siteId, sql`select ${reportId}::int as report_id`).execute(db);
  return rows[0] && toReport(rows[0]);
}

export interface StoredEntry {
  stepId: number;
  at: Date;
  operationId: string;
  summary: string;
  subject: string;
  isWrite: boolean;
  status: number | null;
}

const selectEntries = (db: Db, siteId: number, reportId: number) =>
  db
    .selectFrom('acting_step')
    .select([
      'step_id as stepId',
      'at',
      'operation_id as operationId',
      'summary',
      'subject',
      'is_write as isWrite',
      'status',
    ])
    .where('site_id', '=', siteId)
    .where('report_id', '=', reportId)
    .orderBy('at')
    .orderBy('step_id');

/** A page of the entries of a report in chronological order. */
export const listEntries = (
  db: Db,
  siteId: number,
  reportId: number,
  { limit, offset }: Page,
): Promise<StoredEntry[]> => selectEntries(db, siteId, reportId).limit(limit).offset(offset).execute();

/** The entries of a report after another one, or its first ones, in chronological order. */
export function listNextEntries(
  db: Db,
  { siteId, reportId }: { siteId: number; reportId: number },
  last: Pick<StoredEntry, 'at' | 'stepId'> | undefined,
  limit: number,
): Promise<StoredEntry[]> {
  const entries = selectEntries(db, siteId, reportId).limit(limit);
  return (
    last ? entries.where(sql<boolean>`(at, step_id) > (${last.at}, ${last.stepId})`) : entries
  ).execute();
}

/** An audit trail entry with the status of its response. */
export interface CompletedEntry extends AuditTrailEntry {
  status: number;
}

/** Inserts the entry of a write that is about to be performed and returns its id. */
export async function insertPendingEntry(db: Db, entry: AuditTrailEntry): Promise<number> {
  const { rows } = await sql<{ step_id: number }>`
    with counted as (update acting_report set steps = steps + 1, last_step_at = clock_timestamp()
      where site_id = ${entry.siteId} and report_id = ${entry.reportId})
    insert into acting_step (site_id, report_id, at, operation_id, summary, subject, is_write)
    values (${entry.siteId}, ${entry.reportId}, ${entry.at}, ${entry.operationId}, ${entry.summary}, ${entry.subject}, true)
    returning step_id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The insert returned no row');
  return row.step_id;
}

/** Saves the response statuses of writes. */
export async function updateEntryStatuses(db: Db, ended: ReadonlyMap<number, number>): Promise<void> {
  await sql`update acting_step s set status = e.status
    from unnest(${[...ended.keys()]}::bigint[], ${[...ended.values()]}::int[]) as e(step_id, status)
    where s.step_id = e.step_id`.execute(db);
}

/** Inserts entries of reads and updates the counts of their reports in one statement. */
export async function insertEntries(db: Db, entries: readonly CompletedEntry[]): Promise<void> {
  const list = <K extends keyof CompletedEntry>(key: K) => entries.map((entry) => entry[key]);
  await sql`with given as (
      select * from unnest(${list('siteId')}::int[], ${list('reportId')}::int[], ${list('at')}::timestamptz[],
        ${list('operationId')}::text[], ${list('summary')}::text[], ${list('subject')}::text[], ${list('isWrite')}::boolean[], ${list('status')}::int[])
      as g(site_id, report_id, at, operation_id, summary, subject, is_write, status)),
    counted as (update acting_report r set steps = r.steps + g.n, last_step_at = clock_timestamp()
      from (select site_id, report_id, count(*)::int as n from given group by site_id, report_id) g
      where r.site_id = g.site_id and r.report_id = g.report_id)
    insert into acting_step (site_id, report_id, at, operation_id, summary, subject, is_write, status)
    select site_id, report_id, at, operation_id, summary, subject, is_write, status from given`.execute(db);
}
