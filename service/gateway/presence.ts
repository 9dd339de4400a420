import {
  countCodeAttempt,
  clearCodeAttempts,
  hasPasskey,
  mailSecurityChange,
  getProofMethods,
  createProofOptions,
  readFactors,
  consumePasskeyProof,
  consumeProof,
  wrongProofError,
} from '../areas/access/index.ts';
import { conflict, forbidden, badRequest, unauthorized } from '../kernel/api-error.ts';
import { getActor, change } from '../kernel/audit/change.ts';
import { rejectFederatedSession } from '../kernel/auth/authorize.ts';
import type { Caller } from '../kernel/auth/caller.ts';
import { deleteSetPasswordLinks } from '../kernel/auth/callers.store.ts';
import { validateNewPassword, verifyPassword, hashPassword } from '../kernel/auth/passwords.ts';
import { getAddressKey, consumeRateLimit, resetRateLimit } from '../kernel/auth/throttle.store.ts';
import { type Db, type Tx, withTransaction } from '../kernel/db/database.ts';
import { ok, type HandlerResponse, type Call, type Handlers } from '../kernel/http/handler.ts';
import * as store from './accounts.store.ts';
import { startSession, endSession, renewSession } from './session-lifecycle.ts';
import { deleteUserSessions, deleteKnownDevices, findKnownDevice, loadProofExpiry } from './session.store.ts';
import { chooseSite } from './session.ts';

/** Password attempts within a session: someone at an unattended console must not guess on. */
const OWN_PASSWORD_LIMIT = { maxCount: 10, windowSeconds: 900 };
/** Passkey sign-ins from one network address. */
const PASSKEY_LIMIT = { maxCount: 300, windowSeconds: 300 };

const PASSKEY_REFUSED = 'This passkey is not registered here';

type Operations = 'provePresence' | 'changePassword' | 'beginPasskeySignIn' | 'signInWithPasskey';

export const presenceHandlers: Handlers<Operations> = {
  async provePresence(call): Promise<HandlerResponse<'provePresence'>> {
    const { db, body } = call;
    const session =
      body.password === undefined ? await proveByFactor(call) : await provePassword(call, body.password);
    return {
      status: 200,
      body: { provenUntil: (await loadProofExpiry(db, session.tokenHash)).toISOString() },
      session,
    };
  },

  async changePassword(call): Promise<HandlerResponse<'changePassword'>> {
    const { db, caller, body } = call;
    const { userId } = caller;
    rejectFederatedSession(caller, 'Changing how you sign in');
    const account = await store.findAccount(db, { userId });
    if (!account?.passwordHash) throw conflict('Your account has no password');
    const passwordError = validateNewPassword(body.password, account.email);
    if (passwordError !== undefined) throw badRequest([{ path: 'password', message: passwordError }]);
    await requireOwnPassword(db, caller, body.currentPassword, 'currentPassword');
    const passwordHash = await hashPassword(body.password);
    const { session, ended } = await change(db, getActor(call), async (tx, record) => {
      // A link that was mailed before could replace the new password. First, as where a link is used.
      await deleteSetPasswordLinks(tx, [userId]);
      await store.setPasswordHash(tx, userId, passwordHash);
      const renewed = await requireRenewedSession(tx, caller);
      const endedSessions = await deleteUserSessions(tx, userId, renewed.tokenHash);
      await deleteKnownDevices(tx, userId, call.deviceTokenHash);
      await mailSecurityChange(tx, caller, 'Your password was changed.');
      record({ action: 'user.set-password', subject: ['user', userId], changes: {} });
      return { session: renewed, ended: endedSessions };
    });
    return { status: 200, body: { ended }, session };
  },

  async beginPasskeySignIn({ db, origin, services }) {
    await consumeRateLimit(
      db,
      `passkey:${getAddressKey(origin.ip)}`,
      PASSKEY_LIMIT,
      'Too many sign-ins from this address',
    );
    return ok(await createProofOptions(db, services.publicUrl, null));
  },

  async signInWithPasskey(call): Promise<HandlerResponse<'signInWithPasskey'>> {
    const { db, body, origin, services, deviceTokenHash, sessionTokenHash } = call;
    await consumeRateLimit(
      db,
      `passkey:${getAddressKey(origin.ip)}`,
      PASSKEY_LIMIT,
      'Too many sign-ins from this address',
    );
    const proof = { userId: null, answer: body.passkey };
    const userId = await withTransaction(db, {}, (tx) => consumePasskeyProof(tx, services.publicUrl, proof));
    const account = userId === undefined ? undefined : await store.findAccount(db, { userId });
    if (!account) throw unauthorized(PASSKEY_REFUSED);
    const siteId = await chooseSite(db, account, body.siteId, origin.ip);
    const start = { siteId, userId: account.userId, origin, deviceTokenHash, verifiedBy: 'passkey' as const };
    const runFirst = async (tx: Tx) => {
      // The passkey may have been removed since the proof was checked.
      await store.lockAccount(tx, account.userId);
      if (!(await hasPasskey(tx, account.userId, body.passkey.id))) throw unauthorized(PASSKEY_REFUSED);
      if (sessionTokenHash) await endSession(tx, sessionTokenHash, origin.ip);
    };
    return startSession(db, start, { runFirst });
  },
};

async function proveByFactor({ db, caller, body, services, deviceTokenHash }: Call<'provePresence'>) {
  const knownDevice = await findKnownDevice(db, caller.userId, deviceTokenHash);
  await countCodeAttempt(db, caller.userId, body, knownDevice);
  const session = await withTransaction(db, {}, async (tx) => {
    const verifiedBy = await consumeProof(tx, services, caller.userId, body);
    return verifiedBy && requireRenewedSession(tx, caller);
  });
  if (!session) throw wrongProofError(body);
  await clearCodeAttempts(db, caller.userId, knownDevice);
  return session;
}

async function provePassword({ db, caller }: Call<'provePresence'>, password: string) {
  const methods = getProofMethods(await readFactors(db, caller.userId), true);
  if (!methods.includes('password')) throw forbidden('Use your second factor to confirm');
  await requireOwnPassword(db, caller, password, 'password');
  return withTransaction(db, {}, (tx) => requireRenewedSession(tx, caller));
}

/** @throws ApiError 400 for a wrong password, because 401 would mean that the session is over */
async function requireOwnPassword(db: Db, { userId }: Caller, password: string, path: string): Promise<void> {
  const key = `own-password:${userId}`;
  await consumeRateLimit(db, key, OWN_PASSWORD_LIMIT, 'Too many wrong passwords');
  const account = await store.findAccount(db, { userId });
  if (!(await verifyPassword(password, account?.passwordHash ?? null)))
    throw badRequest([{ path, message: 'is wrong' }]);
  await resetRateLimit(db, key);
}

/** @throws ApiError 401 when the session has ended in the meantime */
async function requireRenewedSession(tx: Tx, caller: Caller) {
  const session = await renewSession(tx, caller);
  if (!session) throw unauthorized();
  return session;
}
