import type { PendingSignIn, Session } from '../../contract/generated/types.gen.ts';
import { readFactors, getSecondFactorMethods, type Factors } from '../areas/access/index.ts';
import { describeActing } from '../areas/proxies/index.ts';
import { isPlatformAdministrator } from '../areas/sites/index.ts';
import { unauthorized } from '../kernel/api-error.ts';
import { ACTIVITY_TYPE, deleteOldestSessions, insertActivityLater } from '../kernel/audit/activity.store.ts';
import { createAddressError } from '../kernel/auth/authorize.ts';
import type { Caller, RequestOrigin } from '../kernel/auth/caller.ts';
import { findSession, GUARANTEED_IDLE_SECONDS, resolveCaller } from '../kernel/auth/callers.store.ts';
import { type Db, runTogether, type Tx, withRecordedWrites, withTransaction } from '../kernel/db/database.ts';
import type { FactorKind } from '../kernel/db/tables/index.ts';
import type { NewSession } from '../kernel/http/handler.ts';
import { createSecret } from '../kernel/secret.ts';
import * as store from './accounts.store.ts';
import * as sessions from './session.store.ts';

/** Session of a user for the console, read from the database at each request. */
export async function loadSession(
  db: Db,
  { tokenHash, userId }: { tokenHash: Buffer; userId: number },
  ip: string,
): Promise<Session> {
  const [found, account, sites, serverTime, isPlatformAdmin] = await runTogether(db, (connection) =>
    Promise.all([
      findSession(connection, tokenHash, ip),
      store.findAccount(connection, { userId }),
      store.listAccessibleSites(connection, userId, ip),
      store.loadServerTime(connection),
      isPlatformAdministrator(connection, userId),
    ]),
  );
  if (found?.isAddressRefused) throw await createAddressError(db, found.caller, ip);
  const caller = found && resolveCaller(found);
  if (!caller || !account || caller.userId !== userId) throw unauthorized();
  const site = sites.find((each) => each.siteId === caller.siteId);
  if (!site) throw unauthorized();
  const acting = await describeActing(db, caller);
  const { siteId: id, slug, name, identityMode, timeZone, schemaVersion, requiresActingReason } = site;
  return {
    user: {
      id: account.userId,
      email: account.email,
      firstName: account.firstName,
      lastName: account.lastName,
      timeZone: site.userTimeZone,
    },
    site: { id, slug, name, identityMode, timeZone, schemaVersion, requiresActingReason },
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
    serverTime: serverTime.toISOString(),
    idleSeconds: GUARANTEED_IDLE_SECONDS,
    ...(acting && { acting }),
    membershipExpiresDate: site.expiresAt?.toISOString() ?? null,
    isFederated: caller.isFederated,
    runsPlatform: !caller.isFederated && isPlatformAdmin,
  };
}

/** Maximum number of sessions of a user on all sites together; a new one ends the least recently used. */
const MAX_SESSIONS_PER_USER = 10;

/** Fully authenticated session with its new token, and the number of other sessions that it ended. */
type StartedSession = NewSession & { userId: number; tokenHash: Buffer; endedSessions: number };

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

/** What else is done in the transaction that starts a session. */
interface SessionStartWork {
  /** Runs before the session starts. */
  runFirst?: (tx: Tx) => Promise<void>;
  /** Its statements, which it executes at once, are sent before those of the session; if it throws, no session is started. */
  runAlong?: (tx: Tx) => Promise<void>;
}

/** Starts a session with a new token: nothing of an earlier session can be reused (T01). */
export async function startSession(
  db: Db,
  start: SessionStart,
  { runFirst, runAlong }: SessionStartWork = {},
): Promise<SignInResponse> {
  const secret = createSecret();
  const { siteId, userId } = start;
  const { ip } = start.origin;
  const session = await withTransaction(withRecordedWrites(db, userId), {}, async (tx) => {
    await runFirst?.(tx);
    const [, , inserted, recorded] = await Promise.all([
      runAlong?.(tx),
      store.lockAccount(tx, userId),
      sessions.insertSession(tx, toSessionRow(start, secret.hash)),
      recordSignIn(tx, { userId, deviceTokenHash: start.deviceTokenHash }, secret),
    ]);
    insertSignInActivity(tx, { siteId, userId, ip }, secret.hash);
    return { ...recorded, expiresAt: inserted.expiresAt };
  });
  return { status: 200, body: await loadStartedSession(db, session, ip), session };
}

/** Session of the console after a sign-in, with the number of other sessions that it ended. */
export async function loadStartedSession(
  db: Db,
  { tokenHash, endedSessions, userId }: StartedSession,
  ip: string,
): Promise<Session> {
  const session = await loadSession(db, { tokenHash, userId }, ip);
  return endedSessions > 0 ? { ...session, endedSessions } : session;
}

/** Records a complete sign-in whose session is stored: the known browser, and the end of the oldest sessions over the limit. */
async function recordSignIn(
  tx: Tx,
  { userId, deviceTokenHash }: { userId: number; deviceTokenHash: Buffer | undefined },
  { plain: token, hash: tokenHash }: ReturnType<typeof createSecret>,
): Promise<Omit<StartedSession, 'expiresAt'>> {
  const [deviceToken, endedSessions] = await Promise.all([
    sessions.saveKnownDevice(tx, userId, deviceTokenHash),
    deleteOldestSessions(tx, { userId, tokenHash, maxSessions: MAX_SESSIONS_PER_USER }),
  ]);
  return { userId, token, tokenHash, deviceToken, endedSessions };
}

/** Writes the activity row of a sign-in with the commit. */
const insertSignInActivity = (
  tx: Tx,
  { siteId, userId, ip }: { siteId: number; userId: number; ip: string },
  tokenHash: Buffer,
): void => insertActivityLater(tx, { siteId, userId, kind: ACTIVITY_TYPE.signedIn, ip, session: tokenHash });

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
  runAlong: (tx: Tx) => Promise<void>,
): Promise<{ status: 202; body: PendingSignIn; session: NewSession }> {
  const secret = createSecret();
  const { expiresAt } = await withTransaction(db, {}, async (tx) => {
    const row = { ...toSessionRow(start, secret.hash), pending: start.pending };
    const [, inserted] = await Promise.all([runAlong(tx), sessions.insertSession(tx, row)]);
    return inserted;
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
  const recorded = await recordSignIn(tx, { userId, deviceTokenHash: proof.deviceTokenHash }, secret);
  insertSignInActivity(tx, { siteId, userId, ip }, secret.hash);
  return { ...recorded, expiresAt: completed.expiresAt };
}

/** Continues the session under a new token with a fresh proof of presence. @returns undefined when it has ended */
export async function renewSession(
  tx: Tx,
  caller: Caller,
  verifiedBy?: FactorKind,
): Promise<StartedSession | undefined> {
  const secret = createSecret();
  const expiresAt = await sessions.renewSession(tx, caller.tokenHash, secret.hash, verifiedBy);
  return (
    expiresAt && {
      userId: caller.userId,
      token: secret.plain,
      tokenHash: secret.hash,
      expiresAt,
      endedSessions: 0,
    }
  );
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
  insertActivityLater(tx, { siteId, userId, kind: getEndActivity(ended), ip, session: sessionId });
  return ended;
}

function getEndActivity({ pending, isExpired }: sessions.EndedSession): number {
  if (pending) return ACTIVITY_TYPE.unverified;
  return isExpired ? ACTIVITY_TYPE.expired : ACTIVITY_TYPE.signedOut;
}
