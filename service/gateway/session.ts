import { beginActing, endActing, listPrincipals } from '../areas/proxies/index.ts';
import { forbidden, unauthorized, conflict } from '../kernel/api-error.ts';
import { ACTIVITY_TYPE, insertActivity } from '../kernel/audit/activity.store.ts';
import { rejectUnapprovedAddress, rejectFederatedSession } from '../kernel/auth/authorize.ts';
import type { RequestOrigin } from '../kernel/auth/caller.ts';
import { startUniformDelay, verifyPassword } from '../kernel/auth/passwords.ts';
import {
  getAddressKey,
  consumeRateLimit,
  resetRateLimit,
  rejectOverLimit,
} from '../kernel/auth/throttle.store.ts';
import { type Db, type Tx, withTransaction } from '../kernel/db/database.ts';
import { normalizeEmail } from '../kernel/email.ts';
import { type HandlerResponse, type Handlers, ok } from '../kernel/http/handler.ts';
import { hashSecret } from '../kernel/secret.ts';
import * as store from './accounts.store.ts';
import {
  startPendingSession,
  startSession,
  endSession,
  findMissingStep,
  loadSession,
} from './session-lifecycle.ts';
import { isKnownDevice, loadSessionProof } from './session.store.ts';

const SIGN_INS_PER_ADDRESS = { maxCount: 300, windowSeconds: 300 };
/** Password attempts for one e-mail address from one network address. */
const PASSWORDS_PER_ADDRESS = { maxCount: 30, windowSeconds: 900 };

/**
 * Wrong passwords from all unknown devices together: an attacker who tries a few passwords on very many accounts from
 * very many addresses is visible only here (T13). Known devices are not limited by it.
 */
const UNKNOWN_DEVICE_FAILURES = { maxCount: 1_000, windowSeconds: 300 };
const UNKNOWN_DEVICES_KEY = 'sign-in:strangers';

/** One message for every reason, so that nobody learns which accounts exist (T12). */
const SIGN_IN_REFUSED =
  'The e-mail address or the password is wrong, or the account is locked after too many attempts';

/**
 * Finds the account with these credentials. Every rejection takes equally long and has the same message.
 * @throws ApiError 401, 429
 */
async function authenticate(
  db: Db,
  { email, password }: { email: string; password: string },
  { ip }: RequestOrigin,
  deviceTokenHash: Buffer | undefined,
): Promise<store.Account> {
  const { key } = normalizeEmail(email);
  const isKnown = await isKnownDevice(db, key, deviceTokenHash);
  if (!isKnown)
    await rejectOverLimit(db, UNKNOWN_DEVICES_KEY, UNKNOWN_DEVICE_FAILURES, 'Too many wrong passwords');
  // Counted before the password is checked, so that concurrent guesses all count, whether the e-mail address exists or
  // not.
  const source = isKnown && deviceTokenHash ? deviceTokenHash.toString('base64url') : getAddressKey(ip);
  const triesKey = `password:${hashSecret(key).toString('base64url')}:${source}`;
  await consumeRateLimit(db, triesKey, PASSWORDS_PER_ADDRESS, 'Too many wrong passwords from this address');
  const account = await store.findAccount(db, { emailKey: key });
  const isRightPassword = await verifyPassword(password, account?.passwordHash ?? null);
  // Starts here: however long hashing was queued, the time that a failure takes to be stored stays within the delay.
  const uniformDelay = startUniformDelay();
  const isLocked = account !== undefined && account.lockedSeconds > 0;
  if (
    account &&
    isRightPassword &&
    (!isLocked || isKnown || (await store.isKnownAddress(db, account.userId, ip)))
  ) {
    await resetRateLimit(db, triesKey);
    return account;
  }
  if (!isKnown) await countUnknownDeviceFailure(db);
  if (account) {
    if (!isLocked) await store.countFailure(db, account.userId);
    const kind = isLocked ? ACTIVITY_TYPE.lockedOut : ACTIVITY_TYPE.failed;
    await insertActivity(db, { siteId: account.homeSiteId, userId: account.userId, kind, ip });
  }
  await uniformDelay;
  throw unauthorized(SIGN_IN_REFUSED);
}

const countUnknownDeviceFailure = (db: Db) =>
  consumeRateLimit(
    db,
    UNKNOWN_DEVICES_KEY,
    { ...UNKNOWN_DEVICE_FAILURES, maxCount: Number.MAX_SAFE_INTEGER },
    '',
  );

/**
 * Chooses the site that a sign-in opens: the requested one, otherwise the one used last; never one that rejects this
 * address.
 * @throws ApiError 403 when no site is open
 */
export async function chooseSite(
  db: Db,
  account: Pick<store.Account, 'userId' | 'homeSiteId'>,
  requestedSiteId: number | undefined,
  ip: string,
): Promise<number> {
  const sites = await store.listAccessibleSites(db, account.userId, ip);
  const openSites = sites.filter(
    (site) =>
      !site.isAddressRefused &&
      site.identityMode === 'password' &&
      (requestedSiteId === undefined || site.siteId === requestedSiteId),
  );
  if (openSites[0]) return openSites[0].siteId;
  await insertActivity(db, {
    siteId: account.homeSiteId,
    userId: account.userId,
    kind: ACTIVITY_TYPE.forbidden,
    ip,
  });
  rejectUnapprovedAddress(
    sites.some((site) => site.isAddressRefused),
    ip,
  );
  if (sites.some((site) => site.identityMode === 'identity-manager'))
    throw forbidden('This site signs its users in through its identity manager, not with a password');
  throw forbidden(
    'You have no access to any site. An administrator can activate your user or assign a license.',
  );
}

export const sessionHandlers: Handlers<'getSession' | 'signIn' | 'signOut' | 'switchSite'> = {
  async getSession({ db, caller, origin }) {
    return { status: 200, body: await loadSession(db, caller.tokenHash, origin.ip) };
  },

  async signIn({ db, body, origin, sessionTokenHash, deviceTokenHash }): Promise<HandlerResponse<'signIn'>> {
    await consumeRateLimit(
      db,
      `sign-in:${getAddressKey(origin.ip)}`,
      SIGN_INS_PER_ADDRESS,
      'Too many sign-ins from this address',
    );
    const account = await authenticate(db, body, origin, deviceTokenHash);
    const siteId = await chooseSite(db, account, body.siteId, origin.ip);
    const { userId } = account;
    const pending = await findMissingStep(db, userId);
    const runFirst = async (tx: Tx) => {
      // The password may have changed since it was checked: whoever knows the old one must not get in.
      const now = await store.lockAccount(tx, userId);
      if (now?.passwordHash !== account.passwordHash) throw unauthorized(SIGN_IN_REFUSED);
      await store.clearFailures(tx, userId);
      // The browser's previous session ends with the new one (T01).
      if (sessionTokenHash) await endSession(tx, sessionTokenHash, origin.ip);
    };
    if (pending) return startPendingSession(db, { siteId, userId, origin, pending }, runFirst);
    return startSession(db, { siteId, userId, origin, deviceTokenHash }, runFirst);
  },

  async signOut({ db, caller, origin }) {
    await withTransaction(db, {}, (tx) => endSession(tx, caller.tokenHash, origin.ip));
    return { status: 204, body: undefined, session: 'end', headers: { 'clear-site-data': '"cache"' } };
  },

  async switchSite({ db, caller, body, origin, deviceTokenHash }): Promise<HandlerResponse<'switchSite'>> {
    rejectFederatedSession(caller, 'Switching to another site');
    const sites = await store.listAccessibleSites(db, caller.userId, origin.ip);
    const site = sites.find((each) => each.siteId === body.siteId);
    if (!site) throw forbidden('You have no access to this site');
    rejectUnapprovedAddress(site.isAddressRefused, origin.ip);
    if (site.identityMode === 'identity-manager')
      throw forbidden('This site signs its users in through its identity manager');
    const { expiresAt, userId, tokenHash } = caller;
    const before = await loadSessionProof(db, tokenHash);
    if (site.requiresSecondFactor && !before?.verifiedBy)
      throw forbidden('This site requires a second factor. Sign out, then sign in to this site.');
    const previous = {
      expiresAt,
      provenAt: before?.provenAt ?? null,
      verifiedBy: before?.verifiedBy ?? null,
    };
    return startSession(
      db,
      { siteId: site.siteId, userId, origin, deviceTokenHash, previous },
      async (tx) => {
        // A concurrent sign-out wins: an ended session is not continued.
        if (!(await endSession(tx, tokenHash, origin.ip))) throw unauthorized();
      },
    );
  },
};

/** Acting for another user in a session of the console; programs use the header AS-USER instead. */
export const actingHandlers: Handlers<'listOwnPrincipals' | 'beginActing' | 'endActing'> = {
  async listOwnPrincipals({ db, caller, origin }) {
    return ok(await listPrincipals(db, caller, origin));
  },

  async beginActing({ db, caller, body, origin, services }) {
    const { userId: principalId, reason } = body;
    await beginActing(db, caller, origin, { principalId, reason });
    services.wakeMailWorker();
    return ok(await loadSession(db, caller.tokenHash, origin.ip));
  },

  async endActing({ db, caller, origin }) {
    const { acting } = caller;
    if (!acting || !(await endActing(db, caller, origin, acting)))
      throw conflict('This session does not act for another user');
    return ok(await loadSession(db, caller.tokenHash, origin.ip));
  },
};
