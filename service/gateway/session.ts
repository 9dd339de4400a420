import { ACTIVITY, writeActivity } from '../kernel/audit/activity.store.ts';
import { refuseAddress, requireOwnSignIn } from '../kernel/auth/authorize.ts';
import type { Origin } from '../kernel/auth/caller.ts';
import { evenMoment } from '../kernel/auth/even.ts';
import { checkPassword } from '../kernel/auth/password.ts';
import { addressKey, countOrRefuse, forget, refuseOver } from '../kernel/auth/throttle.store.ts';
import type { Db, Tx } from '../kernel/db/database.ts';
import { withTransaction } from '../kernel/db/transaction.ts';
import { normaliseEmail } from '../kernel/email.ts';
import { forbidden, unauthorized } from '../kernel/http/errors.ts';
import type { Answer, Handlers } from '../kernel/http/handler.ts';
import { hashSecret } from '../kernel/secret.ts';
import { beginHalfSession, beginSession, endSession, missingFactor, sessionOf } from './begin.ts';
import { isKnownDevice, readSession } from './session.store.ts';
import * as store from './store.ts';

const SIGN_INS_OF_AN_ADDRESS = { limit: 300, seconds: 300 };
/** Passwords tried for one e-mail address from one network address. */
const TRIES_OF_AN_ADDRESS = { limit: 30, seconds: 900 };

/**
 * Wrong passwords of all browsers together that nobody has signed in with before: who tries a few passwords on very many
 * accounts, from very many addresses, shows nowhere else (T13). Browsers that are known go on.
 */
const FAILURES_OF_STRANGERS = { limit: 1_000, seconds: 300 };
const STRANGERS = 'sign-in:strangers';

/** One text for every reason, so that nobody learns who has an account (T12). */
const REFUSED = 'The e-mail address or the password is wrong, or the account rests after too many attempts';

/** The account with that password; every refusal takes as long and says the same. */
async function authenticate(
  db: Db,
  { email, password }: { email: string; password: string },
  { ip }: Origin,
  device: Buffer | undefined,
): Promise<store.Account> {
  const { key } = normaliseEmail(email);
  const isKnown = await isKnownDevice(db, key, device);
  if (!isKnown)
    await refuseOver(db, STRANGERS, FAILURES_OF_STRANGERS, 'Too many wrong passwords are being tried');
  // Counted before the password is looked at, so that guesses at the same time are all counted, known address or not.
  const from = isKnown && device ? device.toString('base64url') : addressKey(ip);
  const tries = `password:${hashSecret(key).toString('base64url')}:${from}`;
  await countOrRefuse(db, tries, TRIES_OF_AN_ADDRESS, 'Too many wrong passwords from this address');
  const account = await store.findAccount(db, { emailKey: key });
  const fits = await checkPassword(password, account?.passwordHash ?? null);
  // From here on: however long passwords wait for their turn, what a failure writes for a known address stays within it.
  const moment = evenMoment();
  const resting = account !== undefined && account.lockedSeconds > 0;
  if (account && fits && (!resting || isKnown || (await store.isKnownAddress(db, account.userId, ip)))) {
    await forget(db, tries);
    return account;
  }
  if (!isKnown) await countFailureOfStranger(db);
  if (account) {
    if (!resting) await store.countFailure(db, account.userId);
    const kind = resting ? ACTIVITY.lockedOut : ACTIVITY.failed;
    await writeActivity(db, { siteId: account.homeSiteId, userId: account.userId, kind, ip });
  }
  await moment;
  throw unauthorized(REFUSED);
}

const countFailureOfStranger = (db: Db) =>
  countOrRefuse(db, STRANGERS, { ...FAILURES_OF_STRANGERS, limit: Number.MAX_SAFE_INTEGER }, '');

/** The site that a sign-in opens: the one asked for, else the one used last; never one that refuses this address. */
export async function chooseSite(
  db: Db,
  account: Pick<store.Account, 'userId' | 'homeSiteId'>,
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

  async signIn({ db, body, origin, presentedSession, presentedDevice: device }): Promise<Answer<'signIn'>> {
    await countOrRefuse(
      db,
      `sign-in:${addressKey(origin.ip)}`,
      SIGN_INS_OF_AN_ADDRESS,
      'Too many sign-ins from this address',
    );
    const account = await authenticate(db, body, origin, device);
    const siteId = await chooseSite(db, account, body.siteId, origin.ip);
    const { userId } = account;
    const pending = await missingFactor(db, userId);
    const within = async (tx: Tx) => {
      // Changed since it was looked at: whoever knows the old one does not come in behind the new one's back.
      const now = await store.lockAccount(tx, userId);
      if (now?.passwordHash !== account.passwordHash) throw unauthorized(REFUSED);
      await store.clearFailures(tx, userId);
      // The session that this browser had ends with the new one (T01).
      if (presentedSession) await endSession(tx, presentedSession, origin.ip);
    };
    if (pending) return beginHalfSession(db, { siteId, userId, origin, pending }, within);
    return beginSession(db, { siteId, userId, origin, device }, within);
  },

  async signOut({ db, caller, origin }) {
    await withTransaction(db, {}, (tx) => endSession(tx, caller.tokenHash, origin.ip));
    return { status: 204, body: undefined, session: 'end', headers: { 'clear-site-data': '"cache"' } };
  },

  async switchSite({ db, caller, body, origin, presentedDevice: device }): Promise<Answer<'switchSite'>> {
    requireOwnSignIn(caller, 'Going on to another site');
    const sites = await store.sitesOf(db, caller.userId, origin.ip);
    const site = sites.find((each) => each.siteId === body.siteId);
    if (!site) throw forbidden('This site is not open to you');
    refuseAddress(site.refused, origin.ip);
    if (site.identityMode === 'identity-manager')
      throw forbidden('This site signs its users in through its identity manager');
    const { expiresAt: until, userId, tokenHash } = caller;
    const before = await readSession(db, tokenHash);
    if (site.asksFactor && !before?.verifiedBy)
      throw forbidden('This site asks for a second factor: sign out, and sign in there');
    const following = { until, provenAt: before?.provenAt ?? null, verifiedBy: before?.verifiedBy ?? null };
    return beginSession(db, { siteId: site.siteId, userId, origin, device, following }, async (tx) => {
      // A sign-out at the same moment wins: nothing goes on from a session that has ended.
      if (!(await endSession(tx, tokenHash, origin.ip))) throw unauthorized();
    });
  },
};
