import type { Acting, OwnPrincipal } from '../../../contract/generated/types.gen.ts';
import { MIN_REASON_LENGTH } from '../../../contract/rules/people/proxies.ts';
import { conflict, forbidden, badRequest } from '../../kernel/api-error.ts';
import { ACTIVITY_TYPE, ACTIVITY_SOURCE, insertActivity } from '../../kernel/audit/activity.store.ts';
import { change, type Actor, type Recorder } from '../../kernel/audit/change.ts';
import type { Caller, RequestOrigin } from '../../kernel/auth/caller.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { getSite } from '../sites/index.ts';
import type { ActingAssignment } from './acting.store.ts';
import * as store from './acting.store.ts';
import { actingBegunMail } from './mails.ts';

/**
 * The same text for unknown users, users of other sites and users without assignment, so that it does not reveal which.
 */
export const NO_ASSIGNMENT_MESSAGE = 'No proxy assignment lets you act for this user';

const MAIL_TTL_HOURS = 24;

/** Starting and ending are recorded as actions of the proxy, not of the principal. */
const toActor = (caller: Caller, origin: RequestOrigin): Actor => ({
  siteId: caller.siteId,
  userId: caller.userId,
  email: caller.email,
  origin,
});

interface ActingRequest {
  principalId: number;
  reason: string | undefined;
}

/**
 * Starts acting in the caller's session. Report, activity, audit row and the mail to the principal are written in one
 * transaction.
 * @throws ApiError 400 without a reason where the site requires one, 403 without a valid assignment, 409 if the session acts already (no chains, T06)
 */
export async function beginActing(
  db: Db,
  caller: Caller,
  origin: RequestOrigin,
  request: ActingRequest,
): Promise<number> {
  if (caller.acting) throw alreadyActing();
  const { siteId, userId: proxyId } = caller;
  const { principalId } = request;
  const text = request.reason?.trim() ?? '';
  const reason = text === '' ? null : text;
  return change(db, toActor(caller, origin), async (tx, record) => {
    const { name: siteName, requiresActingReason } = await getSite(tx, siteId);
    if (requiresActingReason && text.length < MIN_REASON_LENGTH)
      throw badRequest([{ path: 'reason', message: `must have at least ${MIN_REASON_LENGTH} characters` }]);
    const assignment = await store.lockAssignment(tx, siteId, { proxyId, principalId, ip: origin.ip });
    if (!assignment) throw forbidden(NO_ASSIGNMENT_MESSAGE);
    if (assignment.refusal !== null) throw forbidden(assignment.refusal);
    const reportId = await store.insertReport(tx, siteId, { proxyId, principalId, reason });
    if (!(await store.setSessionReport(tx, caller.tokenHash, reportId))) throw alreadyActing();
    await recordStart(
      tx,
      { caller, origin, siteName, principalId, source: 'console', reason, reportId, assignment },
      record,
    );
    return reportId;
  });
}

const alreadyActing = () => conflict('This session already acts for a user, or has ended');

/**
 * Id of today's report of a program that acts with AS-USER. The principal is notified of the first request of a day. Returns
 * undefined without a valid assignment.
 */
export async function openDailyReport(
  db: Db,
  caller: Caller,
  origin: RequestOrigin,
  principalId: number,
): Promise<number | undefined> {
  const { siteId, userId: proxyId } = caller;
  return change(db, toActor(caller, origin), async (tx, record) => {
    const assignment = await store.lockAssignment(tx, siteId, { proxyId, principalId, ip: origin.ip });
    if (!assignment || assignment.refusal !== null) return undefined;
    const { reportId, isNew } = await store.getOrCreateDailyReport(tx, siteId, { proxyId, principalId });
    if (isNew) {
      const { name: siteName } = await getSite(tx, siteId);
      await recordStart(
        tx,
        { caller, origin, siteName, principalId, source: 'api', reason: null, reportId, assignment },
        record,
      );
    }
    return reportId;
  });
}

interface ActingStart {
  caller: Caller;
  origin: RequestOrigin;
  siteName: string;
  principalId: number;
  /** The console, or a program that acts with AS-USER. */
  source: 'console' | 'api';
  reason: string | null;
  reportId: number;
  assignment: ActingAssignment;
}

async function recordStart(tx: Tx, start: ActingStart, record: Recorder): Promise<void> {
  const { caller, origin, siteName, principalId, source, reason, assignment, reportId } = start;
  const { siteId, userId } = caller;
  await insertActivity(tx, {
    siteId,
    userId,
    kind: ACTIVITY_TYPE.switched,
    ip: origin.ip,
    session: caller.tokenHash,
    principalUserId: principalId,
    source: caller.scopes ? ACTIVITY_SOURCE.api : ACTIVITY_SOURCE.web,
  });
  const mail = actingBegunMail({ ...assignment, siteName, proxyEmail: caller.email, source, reason });
  await queueMail(tx, { siteId, to: assignment.email, ttlHours: MAIL_TTL_HOURS, ...mail });
  record({
    action: 'acting.begin',
    subject: ['user', principalId],
    changes: { actingReport: [null, reportId], proxy: [null, userId] },
  });
}

/** Ends acting in the caller's session. Returns false if the session does not act any more. */
export async function endActing(
  db: Db,
  caller: Caller,
  origin: RequestOrigin,
  acting: { principalId: number; reportId: number },
): Promise<boolean> {
  return change(db, toActor(caller, origin), async (tx, record) => {
    if (!(await store.endSessionReport(tx, caller.tokenHash, acting.reportId))) return false;
    record({
      action: 'acting.end',
      subject: ['user', acting.principalId],
      changes: { actingReport: [acting.reportId, null], proxy: [caller.userId, null] },
    });
    return true;
  });
}

/** The principals for whom the caller may act, each with the reason if it is not possible now. */
export const listPrincipals = (db: Db, caller: Caller, origin: RequestOrigin): Promise<OwnPrincipal[]> =>
  store.listPrincipals(db, caller.siteId, caller.userId, origin.ip);

/** The acting state of the caller's session, for the console. */
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
