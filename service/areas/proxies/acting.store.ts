import { sql } from 'kysely';
import type { OwnPrincipal } from '../../../contract/generated/types.gen.ts';
import { isAddressRefused, buildCanAct } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** An assignment with the names needed to notify the principal. */
export interface ActingAssignment {
  email: string;
  firstName: string;
  fullName: string;
  proxyName: string;
  /** Reason why the proxy cannot act for the principal now; null if it can. */
  refusal: string | null;
}

/** SQL expression: the reason why nobody can act for the principal `pm` from this address; null if it is possible. */
const selectRefusal = (ip: string) => sql<string | null>`case
    when not pm.is_active then 'This user is deactivated'
    when ${buildCanAct('pm')} is not true then 'This user has no license, or the membership has ended'
    when ${isAddressRefused(ip, 'pm')} then 'This user has IP restrictions, and your address is not approved'
  end`;

/** The principals of a proxy user, ordered by name. */
export async function listPrincipals(
  db: Db,
  siteId: number,
  proxyId: number,
  ip: string,
): Promise<OwnPrincipal[]> {
  const { rows } = await sql<OwnPrincipal>`
    select pm.user_id as id, a.email, a.first_name || ' ' || a.last_name as "fullName", ${selectRefusal(ip)} as refusal
    from proxy_assignment x
    join membership pm on pm.site_id = x.site_id and pm.user_id = x.user_id
    join account a on a.user_id = x.user_id
    where x.site_id = ${siteId} and x.proxy_id = ${proxyId}
    order by lower(a.last_name), lower(a.first_name), a.user_id`.execute(db);
  return rows;
}

/**
 * Finds the assignment and locks it until the transaction ends, so that a concurrent removal comes either before the
 * start of acting or after it.
 */
export async function lockAssignment(
  tx: Tx,
  siteId: number,
  { proxyId, principalId, ip }: { proxyId: number; principalId: number; ip: string },
): Promise<ActingAssignment | undefined> {
  const { rows } = await sql<ActingAssignment>`
    select a.email, a.first_name as "firstName", a.first_name || ' ' || a.last_name as "fullName",
           p.first_name || ' ' || p.last_name as "proxyName", ${selectRefusal(ip)} as refusal
    from proxy_assignment x
    join membership pm on pm.site_id = x.site_id and pm.user_id = x.user_id
    join account a on a.user_id = x.user_id
    join account p on p.user_id = x.proxy_id
    where x.site_id = ${siteId} and x.proxy_id = ${proxyId} and x.user_id = ${principalId}
    for share of x`.execute(tx);
  return rows[0];
}

/** Inserts the report of a console session that starts acting. */
export async function insertReport(
  tx: Tx,
  siteId: number,
  report: { proxyId: number; principalId: number; reason: string | null },
): Promise<number> {
  const row = await tx
    .insertInto('acting_report')
    .values({
      site_id: siteId,
      proxy_id: report.proxyId,
      principal_id: report.principalId,
      source: 'console',
      reason: report.reason,
    })
    .returning('report_id')
    .executeTakeFirstOrThrow();
  return row.report_id;
}

/** Links the session to the report. Returns false if the session acts already or has ended. */
export async function setSessionReport(tx: Tx, tokenHash: Buffer, reportId: number): Promise<boolean> {
  const result = await tx
    .updateTable('session')
    .set({ acting_report_id: reportId })
    .where('token_hash', '=', tokenHash)
    .where('acting_report_id', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Ends acting in a session and closes its report. Returns false if the session no longer acts in this report. */
export async function endSessionReport(tx: Tx, tokenHash: Buffer, reportId: number): Promise<boolean> {
  const { rows } = await sql`
    with ended as (update session set acting_report_id = null
      where token_hash = ${tokenHash} and acting_report_id = ${reportId} returning 1)
    update acting_report set ended_at = clock_timestamp()
    where report_id = ${reportId} and ended_at is null and exists (select 1 from ended) returning report_id`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Returns today's report of API calls for the pair, and whether it was created now. */
export async function getOrCreateDailyReport(
  tx: Tx,
  siteId: number,
  { proxyId, principalId }: { proxyId: number; principalId: number },
): Promise<{ reportId: number; isNew: boolean }> {
  const { rows } = await sql<{ report_id: number; is_new: boolean }>`
    with day as (select (now() at time zone 'UTC')::date as day),
    opened as (
      insert into acting_report (site_id, proxy_id, principal_id, source, day)
      select ${siteId}, ${proxyId}, ${principalId}, 'api', day from day
      on conflict (site_id, proxy_id, principal_id, day) do nothing returning report_id)
    select report_id, true as is_new from opened
    union all
    select r.report_id, false from acting_report r, day
    where r.site_id = ${siteId} and r.proxy_id = ${proxyId} and r.principal_id = ${principalId} and r.day = day.day`.execute(
    tx,
  );
  const [row] = rows;
  // A concurrent transaction inserted the report after this statement started; the next statement sees it.
  if (!row) return getOrCreateDailyReport(tx, siteId, { proxyId, principalId });
  return { reportId: row.report_id, isNew: row.is_new };
}

/** The report of a session that is acting. */
export interface CurrentReport {
  reason: string | null;
  startedAt: Date;
  principalName: string;
}

export async function findReport(
  db: Db,
  siteId: number,
  reportId: number,
): Promise<CurrentReport | undefined> {
  const { rows } = await sql<CurrentReport>`
    select r.reason, r.started_at as "startedAt", a.first_name || ' ' || a.last_name as "principalName"
    from acting_report r join account a on a.user_id = r.principal_id
    where r.site_id = ${siteId} and r.report_id = ${reportId}`.execute(db);
  return rows[0];
}
