import type { PendingSignIn, Session } from '../../contract/generated/types.gen.ts';
import { readFactors, getSecondFactorMethods, type Factors } from '../areas/access/index.ts';
import { describeActing } from '../areas/proxies/index.ts';
import { isPlatformAdministrator } from '../areas/sites/index.ts';
import { unauthorized } from '../kernel/api-error.ts';
import { ACTIVITY_TYPE, deleteOldestSessions, insertActivity } from '../kernel/audit/activity.store.ts';
import { rejectUnapprovedAddress } from '../kernel/auth/authorize.ts';
import type { Caller, RequestOrigin } from '../kernel/auth/caller.ts';
import { findSession, GUARANTEED_IDLE_SECONDS, resolveCaller } from '../kernel/auth/callers.store.ts';
import { type Db, type Tx, withTransaction } from '../kernel/db/database.ts';
import type { FactorKind } from '../kernel/db/tables/index.ts';
import type { NewSession } from '../kernel/http/handler.ts';
import { createSecret } from '../kernel/secret.ts';
import * as store from './accounts.store.ts';
import * as sessions from './session.store.ts';

/** Session of the console, read from the database at each request. */
export async function loadSession(db: Db, tokenHash: Buffer, ip: string): Promise<Session> {
  const found = await findSession(db, tokenHash, ip);
  rejectUnapprovedAddress(found?.isAddressRefused ?? false, ip);
  const caller = found && resolveCaller(found);
  const account = caller && (await store.findAccount(db, { userId: caller.userId }));
  if (!caller || !account) throw unauthorized();
  const sites = await store.listAccessibleSites(db, caller.userId, ip);
  const site = sites.find((each) => each.siteId === caller.siteId);
  if (!site) throw unauthorized();
  const acting = await describeActing(db, caller);
  const { siteId: id, slug, name, identityMode, timeZone, schemaVersion } = site;
  return {
    user: {
      id: account.userId,
      email: account.email,
      firstName: account.firstName,
      lastName: account.lastName,
      timeZone: site.userTimeZone,
    },
    site: { id, slug, name, identityMode, timeZone, schemaVersion },
    sites: sites
      .map(({ siteId, isAdministrator, ...each }) => ({
        id: siteId,
        slug: each.slug,
        name: each.name,
        role: isAdministrator ? ('administrator' as const) : ('member' as const),
      }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    capabilities: [...caller.capabilities],
    expiresDate: caller.expiresAt.toISOString(),
    serverTime: (await store.loadServerTime(db)).toISOString(),
    idleSeconds: GUARANTEED_IDLE_SECONDS,
    ...(acting && { acting }),
    membershipExpiresDate: site.expiresAt?.toISOString() ?? null,
    isFederated: caller.isFederated,
    runsPlatform: !caller.isFederated && (await isPlatformAdministrator(db, caller.userId)),
  };
}

/** Maximum number of sessions of a user on all sites together; a new one ends the least recently used. */
const MAX_SESSIONS_PER_USER = 10;

/** Fully authenticated session with its new token, and the number of other sessions that it ended. */
type StartedSession = NewSession & { tokenHash: Buffer; endedSessions: number };

interface SignInResponse {
  status: 200;
  body: Session;
  session: NewSession;
}

/** User and site of a new session, and the proofs it starts with. */
interface SessionStart {
  siteId: number;
  userId: number;
  origin: RequestOrigin;
  /** Hash of the cookie that identifies the browser, if it sent one. */
  deviceTokenHash?: Buffer | undefined;
  /** Expiry and proofs taken over from the session that this one replaces. */
  previous?: { expiresAt: Date; provenAt: Date | null; verifiedBy: FactorKind | null } | undefined;
  verifiedBy?: FactorKind | undefined;
  /** Set when the site's identity manager signed the user in, with the time of its last proof. */
  identityProof?: { provenAt: Date | undefined } | undefined;
}

/**
 * Starts a session with a new token: nothing of an earlier session can be reused (T01). `runFirst` runs in the same
 * transaction before it.
 */
export async function startSession(
  db: Db,
  start: SessionStart,
  runFirst: (tx: Tx) => Promise<void> = async () => {},
): Promise<SignInResponse> {
  const secret = createSecret();
  const { siteId, userId } = start;
  const { ip } = start.origin;
  const session = await withTransaction(db, {}, async (tx) => {
    await runFirst(tx);
    await store.lockAccount(tx, userId);
    const inserted = await sessions.insertSession(tx, toSessionRow(start, secret.hash));
    return recordSignIn(tx, { siteId, userId, ip, deviceTokenHash: start.deviceTokenHash }, secret, inserted);
  });
  return { status: 200, body: await loadStartedSession(db, session, ip), session };
}

/** Session of the console after a sign-in, with the number of other sessions that it ended. */
export async function loadStartedSession(
  db: Db,
  { tokenHash, endedSessions }: StartedSession,
  ip: string,
): Promise<Session> {
  const session = await loadSession(db, tokenHash, ip);
  return endedSessions > 0 ? { ...session, endedSessions } : session;
}

/** Records a complete sign-in: the known browser, the end of the oldest sessions over the limit, and the activity row. */
async function recordSignIn(
  tx: Tx,
  signIn: { siteId: number; userId: number; ip: string; deviceTokenHash: Buffer | undefined },
  secret: ReturnType<typeof createSecret>,
  { sessionId, expiresAt }: { sessionId: string; expiresAt: Date },
): Promise<StartedSession> {
  const { siteId, userId, ip, deviceTokenHash } = signIn;
  const { plain: token, hash: tokenHash } = secret;
  const deviceToken = await sessions.saveKnownDevice(tx, userId, deviceTokenHash);
  const endedSessions = await deleteOldestSessions(tx, {
    userId,
    tokenHash,
    maxSessions: MAX_SESSIONS_PER_USER,
  });
  await insertActivity(tx, { siteId, userId, kind: ACTIVITY_TYPE.signedIn, ip, session: sessionId });
  return { token, tokenHash, expiresAt, deviceToken, endedSessions };
}

const toSessionRow = (
  { siteId, userId, origin, previous, verifiedBy, identityProof: federated }: SessionStart,
  tokenHash: Buffer,
) => ({
  tokenHash,
  siteId,
  userId,
  ip: origin.ip,
  userAgent: origin.userAgent,
  expiresAt: previous?.expiresAt,
  provenAt: previous ? previous.provenAt : federated?.provenAt,
  verifiedBy: previous ? previous.verifiedBy : (verifiedBy ?? null),
  pending: null,
  isFederated: federated !== undefined,
});

/** Step that is missing after the right password; undefined when none is (spec 2.1, twoFactorEnabled). */
export async function findMissingStep(db: Db, userId: number): Promise<PendingSignIn['pending'] | undefined> {
  const factors = await readFactors(db, userId);
  if (getSecondFactorMethods(factors).length > 0) return 'two-factor';
  return factors.isRequired ? 'enrolment' : undefined;
}

/** Starts a session that permits only the missing step; completing it issues another token. */
export async function startPendingSession(
  db: Db,
  start: SessionStart & { pending: PendingSignIn['pending'] },
  runFirst: (tx: Tx) => Promise<void>,
): Promise<{ status: 202; body: PendingSignIn; session: NewSession }> {
  const secret = createSecret();
  const { expiresAt } = await withTransaction(db, {}, async (tx) => {
    await runFirst(tx);
    return sessions.insertSession(tx, { ...toSessionRow(start, secret.hash), pending: start.pending });
  });
  const factors: Factors = await readFactors(db, start.userId);
  const body = {
    pending: start.pending,
    methods: start.pending === 'enrolment' ? [] : getSecondFactorMethods(factors),
    expiresDate: expiresAt.toISOString(),
    serverTime: (await store.loadServerTime(db)).toISOString(),
  };
  return { status: 202, body, session: { token: secret.plain, expiresAt } };
}

/** Completes a pending session under a new token. @returns undefined when it has ended */
export async function completeSession(
  tx: Tx,
  caller: Caller,
  { ip }: RequestOrigin,
  proof: { verifiedBy: FactorKind; deviceTokenHash: Buffer | undefined },
): Promise<StartedSession | undefined> {
  const secret = createSecret();
  const { siteId, userId, tokenHash } = caller;
  await store.lockAccount(tx, userId);
  const completed = await sessions.completeSession(tx, tokenHash, secret.hash, proof.verifiedBy);
  if (!completed) return undefined;
  const { deviceTokenHash } = proof;
  return recordSignIn(tx, { siteId, userId, ip, deviceTokenHash }, secret, completed);
}

/** Continues the session under a new token with a fresh proof of presence. @returns undefined when it has ended */
export async function renewSession(
  tx: Tx,
  caller: Caller,
  verifiedBy?: FactorKind,
): Promise<StartedSession | undefined> {
  const secret = createSecret();
  const expiresAt = await sessions.renewSession(tx, caller.tokenHash, secret.hash, verifiedBy);
  return expiresAt && { token: secret.plain, tokenHash: secret.hash, expiresAt, endedSessions: 0 };
}

/** Ends a session and logs it as activity. @returns undefined when it had already ended */
export async function endSession(
  tx: Tx,
  tokenHash: Buffer,
  ip: string,
): Promise<sessions.EndedSession | undefined> {
  const ended = await sessions.deleteSession(tx, tokenHash);
  if (!ended) return undefined;
  const { siteId, userId, sessionId } = ended;
  await insertActivity(tx, { siteId, userId, kind: getEndActivity(ended), ip, session: sessionId });
  return ended;
}

function getEndActivity({ pending, isExpired }: sessions.EndedSession): number {
  if (pending) return ACTIVITY_TYPE.unverified;
  return isExpired ? ACTIVITY_TYPE.expired : ACTIVITY_TYPE.signedOut;
}
