import { sql, type Transaction } from 'kysely';
import type { Tables } from '../../kernel/db/tables.ts';
import type { SampleProxy, SampleReport } from './proxies.ts';

type Tx = Transaction<Tables>;

/** Writes who may act for whom; the first of the people has assigned it. */
export async function insertProxies(
  tx: Tx,
  siteId: number,
  pairs: readonly SampleProxy[],
  ids: readonly number[],
): Promise<void> {
  await sql`insert into proxy_assignment (site_id, proxy_id, user_id, created_by)
    select ${siteId}, p, u, ${ids[0] ?? null}::int
    from unnest(${pairs.map(({ proxy }) => ids[proxy])}::int[], ${pairs.map(({ principal }) => ids[principal])}::int[]) as t(p, u)`.execute(
    tx,
  );
}

/** Writes when somebody acted for somebody, and what they looked at. */
export async function insertReports(
  tx: Tx,
  siteId: number,
  reports: readonly SampleReport[],
  ids: readonly number[],
): Promise<void> {
  for (const report of reports) {
    const { steps } = report;
    // oxlint-disable-next-line no-await-in-loop -- one connection, a few dozen reports
    await sql`with report as (
        insert into acting_report (site_id, proxy_id, principal_id, source, reason, started_at, last_step_at, ended_at, steps)
        values (${siteId}, ${ids[report.proxy] ?? 0}, ${ids[report.principal] ?? 0}, 'console', ${report.reason},
          to_timestamp(${report.startedAt}::float8 / 1000), to_timestamp(${report.endedAt}::float8 / 1000),
          to_timestamp(${report.endedAt}::float8 / 1000), ${steps.length})
        returning report_id)
      insert into acting_step (site_id, report_id, at, operation_id, summary, subject, is_write, status)
      select ${siteId}, report_id, to_timestamp(at / 1000), operation, summary, subject, false, 200
      from report, unnest(${steps.map((step) => step.at)}::float8[], ${steps.map((step) => step.operationId)}::text[],
        ${steps.map((step) => step.summary)}::text[], ${steps.map((step) => step.subject)}::text[])
        as t(at, operation, summary, subject)`.execute(tx);
  }
}
