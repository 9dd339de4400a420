import { beginActing, endActing, listPrincipals } from '../areas/proxies/index.ts';
import { forbidden, unauthorized, conflict } from '../kernel/api-error.ts';
import { ACTIVITY_TYPE, insertActivity } from '../kernel/audit/activity.store.ts';
import {
  createAddressError,
  describeRefusedAddress,
  rejectFederatedSession,
} from '../kernel/auth/authorize.ts';
import type { RequestOrigin } from '../kernel/auth/caller.ts';
import { startUniformDelay, verifyPassword } from '../kernel/auth/passwords.ts';
import {
  getAddressKey,
  consumeRateLimit,
  resetRateLimit,
  rejectOverLimit,
} from '../kernel/auth/throttle.store.ts';
import { type Db, runTogether, type Tx, withTransaction } from '../kernel/db/database.ts';
import type { PendingStep } from '../kernel/db/tables/index.ts';
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
 * What a sign-in starts with: whether it comes from a known device, the account, and the rate limit of its password. Counts it.
 * @throws ApiError 429
 */
async function loadSignInState(
  db: Db,
  emailKey: string,
  ip: string,
  deviceTokenHash: Buffer | undefined,
): Promise<{ isKnown: boolean; account: store.Account | undefined; triesKey: string }> {
  const addressKey = `sign-in:${getAddressKey(ip)}`;
  const triesOfAddressKey = getTriesKey(emailKey, getAddressKey(ip));
  const [, isKnown, tooManyFailures, , account] = await Promise.all([
    consumeRateLimit(db, addressKey, SIGN_INS_PER_ADDRESS, 'Too many sign-ins from this address'),
    isKnownDevice(db, emailKey, deviceTokenHash),
    rejectOverLimit(db, UNKNOWN_DEVICES_KEY, UNKNOWN_DEVICE_FAILURES, 'Too many wrong passwords').catch(
      (error: unknown) => error,
    ),
    // Without a device the tries are those of the address; otherwise that depends on whether the device is known.
    !deviceTokenHash && consumeTries(db, triesOfAddressKey),
    store.findAccount(db, { emailKey }),
  ]);
  if (!isKnown && tooManyFailures !== undefined) throw tooManyFailures;
  if (!deviceTokenHash) return { isKnown, account, triesKey: triesOfAddressKey };
  const triesKey = isKnown ? getTriesKey(emailKey, deviceTokenHash.toString('base64url')) : triesOfAddressKey;
  await consumeTries(db, triesKey);
  return { isKnown, account, triesKey };
}

/** Key of the rate limit of passwords for an e-mail address. `source`: the known device or the network address. */
const getTriesKey = (emailKey: string, source: string): string =>
  `password:${hashSecret(emailKey).toString('base64url')}:${source}`;

/**
 * Counts a try before the password is checked, so that concurrent guesses all count, whether the e-mail address exists or not.
 * @throws ApiError 429
 */
const consumeTries = (db: Db, triesKey: string): Promise<void> =>
  consumeRateLimit(db, triesKey, PASSWORDS_PER_ADDRESS, 'Too many wrong passwords from this address');

/**
 * Finds the account with these credentials. Every rejection takes equally long and has the same message.
 * @returns the account and the rate limit of its password, which the caller resets
 * @throws ApiError 401, 429
 */
async function authenticate(
  db: Db,
  { email, password }: { email: string; password: string },
  { ip }: RequestOrigin,
  deviceTokenHash: Buffer | undefined,
): Promise<{ account: store.Account; triesKey: string }> {
  const { key } = normalizeEmail(email);
  const { isKnown, account, triesKey } = await runTogether(db, (connection) =>
    loadSignInState(connection, key, ip, deviceTokenHash),
  );
  const isRightPassword = await verifyPassword(password, account?.passwordHash ?? null);
  // Starts here: however long hashing was queued, the time that a failure takes to be stored stays within the delay.
  const uniformDelay = startUniformDelay();
  const isLocked = account !== undefined && account.lockedSeconds > 0;
  if (
    account &&
    isRightPassword &&
    (!isLocked || isKnown || (await store.isKnownAddress(db, account.userId, ip)))
  ) {
    return { account, triesKey };
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
  return pickSite(db, account, sites, requestedSiteId, ip, undefined);
}

/** The site that `chooseSite` chooses among all that the user can access. @throws ApiError 403 */
async function pickSite(
  db: Db,
  account: Pick<store.Account, 'userId' | 'homeSiteId'>,
  sites: readonly store.AccessibleSite[],
  requestedSiteId: number | undefined,
  ip: string,
  pending: PendingStep | undefined,
): Promise<number> {
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
  const refused = sites.find((site) => site.isAddressRefused);
  // Who still owes the second factor is not known for certain, and learns no names.
  if (refused && pending) throw forbidden(describeRefusedAddress(ip, []));
  if (refused) throw await createAddressError(db, { siteId: refused.siteId, userId: account.userId }, ip);
  if (sites.some((site) => site.identityMode === 'identity-manager'))
    throw forbidden('This site signs its users in through its identity manager, not with a password');
  throw forbidden(
    'You have no access to any site. An administrator can activate your user or assign a license.',
  );
}

export const sessionHandlers: Handlers<'getSession' | 'signIn' | 'signOut' | 'switchSite'> = {
  async getSession({ db, caller, origin }) {
    return { status: 200, body: await loadSession(db, caller, origin.ip) };
  },

  async signIn({ db, body, origin, sessionTokenHash, deviceTokenHash }): Promise<HandlerResponse<'signIn'>> {
    const { account, triesKey } = await authenticate(db, body, origin, deviceTokenHash);
    const { userId } = account;
    const [, sites, pending] = await runTogether(db, (connection) =>
      Promise.all([
        resetRateLimit(connection, triesKey),
        store.listAccessibleSites(connection, userId, origin.ip),
        findMissingStep(connection, userId),
      ]),
    );
    const siteId = await pickSite(db, account, sites, body.siteId, origin.ip, pending);
    const runAlong = async (tx: Tx) => {
      const [now] = await Promise.all([
        store.lockAccount(tx, userId),
        // The browser's previous session ends with the new one (T01).
        sessionTokenHash && endSession(tx, sessionTokenHash, origin.ip),
      ]);
      // The password may have changed since it was checked: whoever knows the old one must not get in.
      if (now?.passwordHash !== account.passwordHash) throw unauthorized(SIGN_IN_REFUSED);
      // On a cluster accounts are changed on every server; most sign-ins need none of the workers.
      if (now.failedCount > 0) await store.clearFailures(tx, userId);
    };
    if (pending) return startPendingSession(db, { siteId, userId, origin, pending }, runAlong);
    return startSession(db, { siteId, userId, origin, deviceTokenHash }, { runAlong });
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
    if (site.isAddressRefused)
      throw await createAddressError(db, { siteId: site.siteId, userId: caller.userId }, origin.ip);
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
      {
        runFirst: async (tx) => {
          // A concurrent sign-out wins: an ended session is not continued.
          if (!(await endSession(tx, tokenHash, origin.ip))) throw unauthorized();
        },
      },
    );
  },
};

/** Acting for another user in a session of the console; programs use the header AS-USER instead. */
export const actingHandlers: Handlers<'listOwnPrincipals' | 'beginActing' | 'endActing'> = {
  async listOwnPrincipals({ db, caller, origin }) {
    return ok(await listPrincipals(db, caller, origin));
  },

  async beginActing({ db, caller, body, origin }) {
    const { userId: principalId, reason } = body;
    await beginActing(db, caller, origin, { principalId, reason });
    return ok(await loadSession(db, caller, origin.ip));
  },

  async endActing({ db, caller, origin }) {
    const { acting } = caller;
    if (!acting || !(await endActing(db, caller, origin, acting)))
      throw conflict('This session does not act for another user');
    return ok(await loadSession(db, caller, origin.ip));
  },
};
