import { sql } from 'kysely';
import type { ActingReport, ProxyPerson } from '../../../contract/generated/types.gen.ts';
import { IDLE_MINUTES } from '../../kernel/auth/store.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';

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

const person = (alias: 'pa' | 'ua') => {
  const a = sql.id(alias);
  return sql`json_build_object('id', ${a}.user_id, 'email', ${a}.email, 'fullName', ${a}.first_name || ' ' || ${a}.last_name)`;
};

/**
 * A session that fell silent has ended, whether somebody has swept it or not; what programs do ends with their last
 * request, when the day is over.
 */
const ENDED_AT = sql`coalesce(r.ended_at,
    case when r.day < (now() at time zone 'UTC')::date then coalesce(r.last_step_at, r.started_at) end,
    (select case when least(s.expires_at, s.last_seen_at + make_interval(mins => ${IDLE_MINUTES})) <= now()
       then greatest(r.started_at, least(s.expires_at, s.last_seen_at + make_interval(mins => ${IDLE_MINUTES}))) end
     from session s where s.acting_report_id = r.report_id))`;

const toReport = ({ startedAt, endedAt, ...row }: ReportRow): ActingReport => ({
  ...row,
  startedDate: startedAt.toISOString(),
  endedDate: endedAt?.toISOString() ?? null,
});

const readPicked = (siteId: number, picked: ReturnType<typeof sql>) => sql<ReportRow>`
  with picked as materialized (${picked})
  select r.report_id as id, ${person('pa')} as "proxyUser", ${person('ua')} as principal, r.source, r.reason,
         r.started_at as "startedAt", ${ENDED_AT} as "endedAt", r.steps
  from picked join acting_report r on r.site_id = ${siteId} and r.report_id = picked.report_id
  join account pa on pa.user_id = r.proxy_id join account ua on ua.user_id = r.principal_id
  order by r.report_id desc`;

/** A page of reports, the newest first; of one user those in which they acted or were acted for. */
export async function listReports(
  db: Db,
  siteId: number,
  userId: number | undefined,
  { limit, offset }: Page,
): Promise<ActingReport[]> {
  const most = limit + offset;
  const of = (column: 'proxy_id' | 'principal_id') => sql`(select report_id from acting_report
    where site_id = ${siteId} and ${sql.id(column)} = ${userId} order by report_id desc limit ${most})`;
  const found =
    userId === undefined
      ? sql`select report_id from acting_report where site_id = ${siteId}`
      : sql`select report_id from (${of('proxy_id')} union all ${of('principal_id')}) as either`;
  const { rows } = await readPicked(
    siteId,
    sql`${found} order by report_id desc limit ${limit} offset ${offset}`,
  ).execute(db);
  return rows.map(toReport);
}

export async function getReport(db: Db, siteId: number, reportId: number): Promise<ActingReport | undefined> {
  const { rows } = await readPicked(siteId, sql`select ${reportId}::int as report_id`).execute(db);
  return rows[0] && toReport(rows[0]);
}

export interface StoredStep {
  at: Date;
  operationId: string;
  summary: string;
  subject: string;
  isWrite: boolean;
  status: number | null;
}

/** A page of the steps of a report, in their order. */
export async function listSteps(db: Db, siteId: number, reportId: number, page: Page): Promise<StoredStep[]> {
  const { rows } = await sql<StoredStep>`
    select at, operation_id as "operationId", summary, subject, is_write as "isWrite", status from acting_step
    where site_id = ${siteId} and report_id = ${reportId}
    order by at, step_id limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}
