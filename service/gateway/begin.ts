import type { PendingSignIn, Session } from '../../contract/generated/types.gen.ts';
import { readFactors, secondFactorMethods, type Factors } from '../areas/access/index.ts';
import { describeActing } from '../areas/proxies/index.ts';
import { runsPlatform } from '../areas/sites/index.ts';
import { ACTIVITY, endOldestSessions, writeActivity } from '../kernel/audit/activity.store.ts';
import { refuseAddress } from '../kernel/auth/authorize.ts';
import type { Caller, Origin } from '../kernel/auth/caller.ts';
import { findSession, SURE_SECONDS } from '../kernel/auth/store.ts';
import type { Db, Tx } from '../kernel/db/database.ts';
import type { FactorKind } from '../kernel/db/tables.ts';
import { withTransaction } from '../kernel/db/transaction.ts';
import { unauthorized } from '../kernel/http/errors.ts';
import type { NewSession } from '../kernel/http/handler.ts';
import { newSecret } from '../kernel/secret.ts';
import { callerOf } from './principal.ts';
import * as sessions from './session.store.ts';
import * as store from './store.ts';

/** What the console knows of its session; made from the database each time it asks. */
export async function sessionOf(db: Db, tokenHash: Buffer, ip: string): Promise<Session> {
  const found = await findSession(db, tokenHash, ip);
  refuseAddress(found?.refused ?? false, ip);
  const caller = found && callerOf(found);
  const account = caller && (await store.findAccount(db, { userId: caller.userId }));
  if (!caller || !account) throw unauthorized();
  const sites = await store.sitesOf(db, caller.userId, ip);
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
    serverTime: (await store.serverTime(db)).toISOString(),
    idleSeconds: SURE_SECONDS,
    ...(acting && { acting }),
    membershipExpiresDate: site.expiresAt?.toISOString() ?? null,
    isFederated: caller.isFederated,
    runsPlatform: !caller.isFederated && (await runsPlatform(db, caller.userId)),
  };
}

/** Sessions that one person has at the most, on all sites together: what is used longest ago ends for a new one. */
const SESSIONS_OF_ONE = 10;

/** A session that somebody can work in from now on. */
type Whole = NewSession & { hash: Buffer; ended: number };

interface Begun {
  status: 200;
  body: Session;
  session: NewSession;
}

/** Who begins a session, where, and with what. */
interface Beginning {
  siteId: number;
  userId: number;
  origin: Origin;
  /** By which the browser is known, where it is. */
  device?: Buffer | undefined;
  /** What goes on from a session that this one follows: its end and its proofs. */
  following?: { until: Date; provenAt: Date | null; verifiedBy: FactorKind | null } | undefined;
  verifiedBy?: FactorKind | undefined;
  /** What the identity manager of the site vouches for: when it last saw a proof that it is the person. */
  federated?: { provenAt: Date | undefined } | undefined;
}

/** Begins a session of this person on this site, with a new secret: nothing of an earlier session carries over (T01). */
export async function beginSession(
  db: Db,
  who: Beginning,
  within: (tx: Tx) => Promise<void> = async () => {},
): Promise<Begun> {
  const secret = newSecret();
  const { siteId, userId } = who;
  const { ip } = who.origin;
  const session = await withTransaction(db, {}, async (tx) => {
    await within(tx);
    await store.lockAccount(tx, userId);
    const begun = await sessions.insertSession(tx, rowOf(who, secret.hash));
    const device = await sessions.rememberDevice(tx, userId, who.device);
    const ended = await makeRoom(tx, userId, secret.hash);
    await writeActivity(tx, { siteId, userId, kind: ACTIVITY.signedIn, ip, session: begun.sessionId });
    return { token: secret.plain, hash: secret.hash, expires: begun.expires, device, ended };
  });
  return { status: 200, body: await newSessionOf(db, session, ip), session };
}

/** What the console knows of a session that has just begun: the ends of others that it brought about besides. */
export async function newSessionOf(db: Db, { hash, ended }: Whole, ip: string): Promise<Session> {
  const session = await sessionOf(db, hash, ip);
  return ended > 0 ? { ...session, endedSessions: ended } : session;
}

const makeRoom = (tx: Tx, userId: number, tokenHash: Buffer) =>
  endOldestSessions(tx, { userId, tokenHash, most: SESSIONS_OF_ONE });

const rowOf = (
  { siteId, userId, origin, following, verifiedBy, federated }: Beginning,
  tokenHash: Buffer,
) => ({
  tokenHash,
  siteId,
  userId,
  ip: origin.ip,
  userAgent: origin.userAgent,
  until: following?.until,
  provenAt: following ? following.provenAt : federated?.provenAt,
  verifiedBy: following ? following.verifiedBy : (verifiedBy ?? null),
  pending: null,
  isFederated: federated !== undefined,
});

/** What is missing after the right password; undefined where that is enough (spec 2.1, twoFactorEnabled). */
export async function missingFactor(db: Db, userId: number): Promise<PendingSignIn['pending'] | undefined> {
  const factors = await readFactors(db, userId);
  if (secondFactorMethods(factors).length > 0) return 'two-factor';
  return factors.isRequired ? 'enrolment' : undefined;
}

/** Begins a session that reaches nothing but what is missing; it becomes whole under another secret. */
export async function beginHalfSession(
  db: Db,
  who: Beginning & { pending: PendingSignIn['pending'] },
  within: (tx: Tx) => Promise<void>,
): Promise<{ status: 202; body: PendingSignIn; session: NewSession }> {
  const secret = newSecret();
  const { expires } = await withTransaction(db, {}, async (tx) => {
    await within(tx);
    return sessions.insertSession(tx, { ...rowOf(who, secret.hash), pending: who.pending });
  });
  const factors: Factors = await readFactors(db, who.userId);
  const body = {
    pending: who.pending,
    methods: who.pending === 'enrolment' ? [] : secondFactorMethods(factors),
    expiresDate: expires.toISOString(),
    serverTime: (await store.serverTime(db)).toISOString(),
  };
  return { status: 202, body, session: { token: secret.plain, expires } };
}

/** The other half is there: the session is whole, under a new secret. False when it ended meanwhile. */
export async function completeSession(
  tx: Tx,
  caller: Caller,
  { ip }: Origin,
  with_: { verifiedBy: FactorKind; device: Buffer | undefined },
): Promise<Whole | undefined> {
  const secret = newSecret();
  const { siteId, userId, tokenHash } = caller;
  await store.lockAccount(tx, userId);
  const whole = await sessions.completeSession(tx, tokenHash, secret.hash, with_.verifiedBy);
  if (!whole) return undefined;
  const device = await sessions.rememberDevice(tx, userId, with_.device);
  const ended = await makeRoom(tx, userId, secret.hash);
  await writeActivity(tx, { siteId, userId, kind: ACTIVITY.signedIn, ip, session: whole.sessionId });
  return { token: secret.plain, hash: secret.hash, expires: whole.expires, device, ended };
}

/** The session goes on under a new secret, as one in which the person has just proved themselves. */
export async function renewSession(
  tx: Tx,
  caller: Caller,
  verifiedBy?: FactorKind,
): Promise<Whole | undefined> {
  const secret = newSecret();
  const expires = await sessions.renewSession(tx, caller.tokenHash, secret.hash, verifiedBy);
  return expires && { token: secret.plain, hash: secret.hash, expires, ended: 0 };
}

/** Ends a session and says so in the activity report; undefined when it had ended already. */
export async function endSession(
  tx: Tx,
  tokenHash: Buffer,
  ip: string,
): Promise<sessions.EndedSession | undefined> {
  const ended = await sessions.deleteSession(tx, tokenHash);
  if (!ended) return undefined;
  const { siteId, userId, sessionId } = ended;
  await writeActivity(tx, { siteId, userId, kind: kindOfEnd(ended), ip, session: sessionId });
  return ended;
}

function kindOfEnd({ pending, ranOut }: sessions.EndedSession): number {
  if (pending) return ACTIVITY.unverified;
  return ranOut ? ACTIVITY.expired : ACTIVITY.signedOut;
}
