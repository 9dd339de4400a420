import type { Session } from '../../contract/generated/types.gen.ts';
import { describeActing } from '../areas/proxies/index.ts';
import { ACTIVITY, writeActivity } from '../kernel/audit/activity.store.ts';
import { refuseAddress } from '../kernel/auth/authorize.ts';
import { evenMoment } from '../kernel/auth/even.ts';
import { checkPassword } from '../kernel/auth/password.ts';
import { addressKey, countOrRefuse, forget } from '../kernel/auth/throttle.store.ts';
import type { Origin } from '../kernel/auth/caller.ts';
import { findSession } from '../kernel/auth/store.ts';
import type { Db, Tx } from '../kernel/db/database.ts';
import { withTransaction } from '../kernel/db/transaction.ts';
import { normaliseEmail } from '../kernel/email.ts';
import { forbidden, unauthorized } from '../kernel/http/errors.ts';
import type { Answer, Handlers } from '../kernel/http/handler.ts';
import { hashSecret, newSecret } from '../kernel/secret.ts';
import { callerOf } from './principal.ts';
import * as store from './store.ts';

const SIGN_INS_OF_AN_ADDRESS = { limit: 300, seconds: 300 };
/** Passwords tried for one e-mail address from one network address. */
const TRIES_OF_AN_ADDRESS = { limit: 30, seconds: 900 };

/** One text for every reason, so that nobody learns who has an account (T12). */
const REFUSED = 'The e-mail address or the password is wrong, or the account rests after too many attempts';

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
      .map((each) => ({ id: each.siteId, slug: each.slug, name: each.name }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    capabilities: [...caller.capabilities],
    expiresDate: caller.expiresAt.toISOString(),
    serverTime: (await store.serverTime(db)).toISOString(),
    ...(acting && { acting }),
    membershipExpiresDate: site.expiresAt?.toISOString() ?? null,
  };
}

/** Begins a session of this person on this site, with a new secret: nothing of an earlier session carries over (T01). */
export async function beginSession(
  db: Db,
  who: { siteId: number; userId: number; origin: Origin; until?: Date },
  within: (tx: Tx) => Promise<void> = async () => {},
): Promise<{ status: 200; body: Session; session: { token: string; expires: Date } }> {
  const secret = newSecret();
  const { ip, userAgent } = who.origin;
  const { siteId, userId, until } = who;
  const expires = await withTransaction(db, {}, async (tx) => {
    await within(tx);
    const begun = await store.insertSession(tx, {
      tokenHash: secret.hash,
      siteId,
      userId,
      ip,
      userAgent,
      until,
    });
    await writeActivity(tx, { siteId, userId, kind: ACTIVITY.signedIn, ip, session: begun.sessionId });
    return begun.expires;
  });
  return {
    status: 200,
    body: await sessionOf(db, secret.hash, ip),
    session: { token: secret.plain, expires },
  };
}

/** Ends a session and says so in the activity report; false when it had ended already. */
async function endSession(tx: Tx, tokenHash: Buffer, ip: string): Promise<boolean> {
  const ended = await store.deleteSession(tx, tokenHash);
  if (!ended) return false;
  const { siteId, userId, sessionId, ranOut } = ended;
  const kind = ranOut ? ACTIVITY.expired : ACTIVITY.signedOut;
  await writeActivity(tx, { siteId, userId, kind, ip, session: sessionId });
  return true;
}

/** The account with that password; every refusal takes as long and says the same. */
async function authenticate(db: Db, email: string, password: string, ip: string): Promise<store.Account> {
  const { key } = normaliseEmail(email);
  // Counted before the password is looked at, so that guesses at the same time are all counted, known address or not.
  const tries = `password:${hashSecret(key).toString('base64url')}:${addressKey(ip)}`;
  await countOrRefuse(db, tries, TRIES_OF_AN_ADDRESS, 'Too many wrong passwords from this address');
  const moment = evenMoment();
  const account = await store.findAccount(db, { emailKey: key });
  const fits = await checkPassword(password, account?.passwordHash ?? null);
  const resting = account !== undefined && account.lockedSeconds > 0;
  if (account && fits && (!resting || (await store.isKnownAddress(db, account.userId, ip)))) {
    await forget(db, tries);
    return account;
  }
  if (account) {
    if (!resting) await store.countFailure(db, account.userId);
    const kind = resting ? ACTIVITY.lockedOut : ACTIVITY.failed;
    await writeActivity(db, { siteId: account.homeSiteId, userId: account.userId, kind, ip });
  }
  await moment;
  throw unauthorized(REFUSED);
}

/** The site that a sign-in opens: the one asked for, else the one used last; never one that refuses this address. */
async function chooseSite(
  db: Db,
  account: store.Account,
  asked: number | undefined,
  ip: string,
): Promise<number> {
  const sites = await store.sitesOf(db, account.userId, ip);
  const open = sites.filter(
    (site) =>
      !site.refused && site.identityMode === 'password' && (asked === undefined || site.siteId === asked),
  );
  if (open[0]) return open[0].siteId;
  await writeActivity(db, {
    siteId: account.homeSiteId,
    userId: account.userId,
    kind: ACTIVITY.forbidden,
    ip,
  });
  refuseAddress(
    sites.some((site) => site.refused),
    ip,
  );
  if (sites.some((site) => site.identityMode === 'identity-manager'))
    throw forbidden('This site signs its users in through its identity manager, not with a password');
  throw forbidden('No site is open to you. An administrator can activate your user or give it a license.');
}

export const sessionHandlers: Handlers<'getSession' | 'signIn' | 'signOut' | 'switchSite'> = {
  async getSession({ db, caller, origin }) {
    return { status: 200, body: await sessionOf(db, caller.tokenHash, origin.ip) };
  },

  async signIn({ db, body, origin, presentedSession }): Promise<Answer<'signIn'>> {
    await countOrRefuse(
      db,
      `sign-in:${addressKey(origin.ip)}`,
      SIGN_INS_OF_AN_ADDRESS,
      'Too many sign-ins from this address',
    );
    const account = await authenticate(db, body.email, body.password, origin.ip);
    const siteId = await chooseSite(db, account, body.siteId, origin.ip);
    return beginSession(db, { siteId, userId: account.userId, origin }, async (tx) => {
      await store.clearFailures(tx, account.userId);
      // The session that this browser had ends with the new one (T01).
      if (presentedSession) await endSession(tx, presentedSession, origin.ip);
    });
  },

  async signOut({ db, caller, origin }) {
    await withTransaction(db, {}, (tx) => endSession(tx, caller.tokenHash, origin.ip));
    return { status: 204, body: undefined, session: 'end', headers: { 'clear-site-data': '"cache"' } };
  },

  async switchSite({ db, caller, body, origin }): Promise<Answer<'switchSite'>> {
    const sites = await store.sitesOf(db, caller.userId, origin.ip);
    const site = sites.find((each) => each.siteId === body.siteId);
    if (!site) throw forbidden('This site is not open to you');
    refuseAddress(site.refused, origin.ip);
    if (site.identityMode === 'identity-manager')
      throw forbidden('This site signs its users in through its identity manager');
    const { expiresAt: until, userId, tokenHash } = caller;
    return beginSession(db, { siteId: site.siteId, userId, origin, until }, async (tx) => {
      // A sign-out at the same moment wins: nothing goes on from a session that has ended.
      if (!(await endSession(tx, tokenHash, origin.ip))) throw unauthorized();
    });
  },
};
