import type { Acting, OwnPrincipal } from '../../../contract/generated/types.gen.ts';
import { ACTIVITY, SOURCE, writeActivity } from '../../kernel/audit/activity.store.ts';
import type { Caller, Origin } from '../../kernel/auth/caller.ts';
import { change, type Actor, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { conflict, forbidden, invalid } from '../../kernel/http/errors.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { getSite } from '../sites/index.ts';
import * as store from './acting.store.ts';
import type { Assigned } from './acting.store.ts';
import { actingBegunMail } from './mails.ts';

/** One text for whoever is nobody, nobody here, and nobody the caller may act for: it tells none from the other. */
export const NO_ASSIGNMENT = 'No proxy assignment lets you act for this user';

/** That somebody acts is worth a mail for this long. */
const MAIL_HOURS = 24;
const SHORTEST_REASON = 3;

/** Beginning and ending are the proxy's own doing. */
const themselves = (caller: Caller, origin: Origin): Actor => ({
  siteId: caller.siteId,
  userId: caller.userId,
  email: caller.email,
  origin,
});

interface Begin {
  principalId: number;
  reason: string;
}

/**
 * Lets the caller's session act for somebody from now on: the report, the activity, the audit row and the mail to the
 * principal stand with it or not at all.
 * @throws ApiError 403 without an assignment that holds now, 409 when the session acts already (no chains, T06)
 */
export async function beginActing(db: Db, caller: Caller, origin: Origin, begin: Begin): Promise<number> {
  if (caller.acting) throw already();
  const reason = begin.reason.trim();
  if (reason.length < SHORTEST_REASON)
    throw invalid([{ path: 'reason', message: `must have at least ${SHORTEST_REASON} characters` }]);
  const { siteId, userId: proxyId } = caller;
  const { principalId } = begin;
  return change(db, themselves(caller, origin), async (tx, record) => {
    const assigned = await store.holdAssignment(tx, siteId, { proxyId, principalId, ip: origin.ip });
    if (!assigned) throw forbidden(NO_ASSIGNMENT);
    if (assigned.refusal !== null) throw forbidden(assigned.refusal);
    const reportId = await store.openReport(tx, siteId, { proxyId, principalId, reason });
    if (!(await store.sessionActs(tx, caller.tokenHash, reportId))) throw already();
    await tellBegin(tx, { caller, origin, principalId, reason, reportId, assigned }, record);
    return reportId;
  });
}

const already = () =>
  conflict('This session acts for somebody already, or has ended: nobody acts on from there');

/** Today's report of a program that acts with AS-USER; the principal is told of the first request of a day. */
export async function openDay(
  db: Db,
  caller: Caller,
  origin: Origin,
  principalId: number,
): Promise<{ reportId: number; isNew: boolean } | undefined> {
  const { siteId, userId: proxyId } = caller;
  return change(db, themselves(caller, origin), async (tx, record) => {
    const assigned = await store.holdAssignment(tx, siteId, { proxyId, principalId, ip: origin.ip });
    if (!assigned || assigned.refusal !== null) return undefined;
    const report = await store.openDayReport(tx, siteId, { proxyId, principalId });
    if (report.isNew)
      await tellBegin(
        tx,
        { caller, origin, principalId, reason: null, reportId: report.reportId, assigned },
        record,
      );
    return report;
  });
}

interface Begun {
  caller: Caller;
  origin: Origin;
  principalId: number;
  reason: string | null;
  reportId: number;
  assigned: Assigned;
}

async function tellBegin(tx: Tx, begun: Begun, record: Recorder): Promise<void> {
  const { caller, origin, principalId, reason, assigned, reportId } = begun;
  const { siteId, userId } = caller;
  await writeActivity(tx, {
    siteId,
    userId,
    kind: ACTIVITY.switched,
    ip: origin.ip,
    session: caller.tokenHash,
    principalUserId: principalId,
    source: caller.scopes ? SOURCE.api : SOURCE.web,
  });
  const { name: siteName } = await getSite(tx, siteId);
  const mail = actingBegunMail({ ...assigned, siteName, proxyEmail: caller.email, reason });
  await queueMail(tx, { siteId, to: assigned.email, hours: MAIL_HOURS, ...mail });
  record({
    action: 'acting.begin',
    subject: ['user', principalId],
    changes: { actingReport: [null, reportId], proxy: [null, userId] },
  });
}

/** Ends what the session does for somebody, if it still does. */
export async function endActing(
  db: Db,
  caller: Caller,
  origin: Origin,
  acting: { principalId: number; reportId: number },
): Promise<boolean> {
  return change(db, themselves(caller, origin), async (tx, record) => {
    if (!(await store.endReport(tx, caller.tokenHash, acting.reportId))) return false;
    record({
      action: 'acting.end',
      subject: ['user', acting.principalId],
      changes: { actingReport: [acting.reportId, null], proxy: [caller.userId, null] },
    });
    return true;
  });
}

/** For whom the caller may act, and why not now. */
export const principalsOf = (db: Db, caller: Caller, origin: Origin): Promise<OwnPrincipal[]> =>
  store.principalsOf(db, caller.siteId, caller.userId, origin.ip);

/** What a session tells of whom it acts for. */
export async function describeActing(db: Db, caller: Caller): Promise<Acting | undefined> {
  const { acting, siteId } = caller;
  const report = acting && (await store.findReport(db, siteId, acting.reportId));
  return (
    report && {
      reportId: acting.reportId,
      principal: { id: acting.principalId, email: acting.principalEmail, fullName: report.principalName },
      reason: report.reason,
      startedDate: report.startedAt.toISOString(),
    }
  );
}
