import { sql } from 'kysely';
import type { OwnPrincipal } from '../../../contract/generated/types.gen.ts';
import { addressRefused, mayAct } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** The two people of an assignment, as a mail to the principal needs them, and why nobody acts now. */
export interface Assigned {
  email: string;
  firstName: string;
  fullName: string;
  proxyName: string;
  /** Null when the caller can act for them. */
  refusal: string | null;
}

/** Why the principal `pm` cannot be acted for now, in words; null when they can. */
const refusalOf = (ip: string) => sql<string | null>`case
    when not pm.is_active then 'This user is deactivated'
    when ${mayAct('pm')} is not true then 'This user has no license, or the membership has run out'
    when ${addressRefused(ip, 'pm')} then 'This user works from approved addresses only, and yours is none'
  end`;

/** Everybody the proxy user is assigned to, by name. */
export async function principalsOf(
  db: Db,
  siteId: number,
  proxyId: number,
  ip: string,
): Promise<OwnPrincipal[]> {
  const { rows } = await sql<OwnPrincipal>`
    select pm.user_id as id, a.email, a.first_name || ' ' || a.last_name as "fullName", ${refusalOf(ip)} as refusal
    from proxy_assignment x
    join membership pm on pm.site_id = x.site_id and pm.user_id = x.user_id
    join account a on a.user_id = x.user_id
    where x.site_id = ${siteId} and x.proxy_id = ${proxyId}
    order by lower(a.last_name), lower(a.first_name), a.user_id`.execute(db);
  return rows;
}

/**
 * The assignment that lets the proxy act for the principal, held until the transaction ends: of its removal and a begin
 * at the same moment one comes first, and the other sees it.
 */
export async function holdAssignment(
  tx: Tx,
  siteId: number,
  { proxyId, principalId, ip }: { proxyId: number; principalId: number; ip: string },
): Promise<Assigned | undefined> {
  const { rows } = await sql<Assigned>`
    select a.email, a.first_name as "firstName", a.first_name || ' ' || a.last_name as "fullName",
           p.first_name || ' ' || p.last_name as "proxyName", ${refusalOf(ip)} as refusal
    from proxy_assignment x
    join membership pm on pm.site_id = x.site_id and pm.user_id = x.user_id
    join account a on a.user_id = x.user_id
    join account p on p.user_id = x.proxy_id
    where x.site_id = ${siteId} and x.proxy_id = ${proxyId} and x.user_id = ${principalId}
    for share of x`.execute(tx);
  return rows[0];
}

/** A report of a session of the console, which begins with it. */
export async function openReport(
  tx: Tx,
  siteId: number,
  report: { proxyId: number; principalId: number; reason: string },
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

/** Lets a session act; false when it acts already or has ended. */
export async function sessionActs(tx: Tx, tokenHash: Buffer, reportId: number): Promise<boolean> {
  const result = await tx
    .updateTable('session')
    .set({ acting_report_id: reportId })
    .where('token_hash', '=', tokenHash)
    .where('acting_report_id', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Ends what a session does for somebody, and its report; the report, or undefined when it acts for nobody any more. */
export async function endReport(tx: Tx, tokenHash: Buffer, reportId: number): Promise<boolean> {
  const { rows } = await sql`
    with ended as (update session set acting_report_id = null
      where token_hash = ${tokenHash} and acting_report_id = ${reportId} returning 1)
    update acting_report set ended_at = clock_timestamp()
    where report_id = ${reportId} and ended_at is null and exists (select 1 from ended) returning report_id`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Today's report of programs for this pair, and whether it has just been opened. */
export async function openDayReport(
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
  // Somebody else has opened it since this statement began: the next one sees it.
  if (!row) return openDayReport(tx, siteId, { proxyId, principalId });
  return { reportId: row.report_id, isNew: row.is_new };
}

/** What a session does for somebody now. */
export interface CurrentReport {
  reason: string;
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
