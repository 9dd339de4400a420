import {
  countCodeTry,
  forgetCodeTries,
  isPasskeyOf,
  mailSecurityChange,
  proofMethods,
  proofOptions,
  readFactors,
  takePasskeyProof,
  takeProof,
  wrongProof,
} from '../areas/access/index.ts';
import { requireOwnSignIn } from '../kernel/auth/authorize.ts';
import { newPasswordFault } from '../kernel/auth/new-password.ts';
import { checkPassword, hashPassword } from '../kernel/auth/password.ts';
import { addressKey, countOrRefuse, forget } from '../kernel/auth/throttle.store.ts';
import type { Caller } from '../kernel/auth/caller.ts';
import { actorOf, change } from '../kernel/change.ts';
import type { Db, Tx } from '../kernel/db/database.ts';
import { withTransaction } from '../kernel/db/transaction.ts';
import { conflict, forbidden, invalid, unauthorized } from '../kernel/http/errors.ts';
import { ok, type Answer, type Call, type Handlers } from '../kernel/http/handler.ts';
import { beginSession, endSession, renewSession } from './begin.ts';
import { chooseSite } from './session.ts';
import { deleteSessionsOf, forgetDevices, knownDeviceOf, provenUntil } from './session.store.ts';
import * as store from './store.ts';

/** Wrong passwords in one's own sessions: who sits at somebody's open console must not guess on. */
const OWN_PASSWORDS = { limit: 10, seconds: 900 };
/** Sign-ins with passkeys from one network address. */
const PASSKEY_CALLS = { limit: 300, seconds: 300 };

const NO_PASSKEY = 'This passkey opens nothing here';

type Operations = 'provePresence' | 'changePassword' | 'beginPasskeySignIn' | 'signInWithPasskey';

export const presenceHandlers: Handlers<Operations> = {
  async provePresence(call): Promise<Answer<'provePresence'>> {
    const { db, body } = call;
    const session =
      body.password === undefined ? await byFactor(call) : await byPassword(call, body.password);
    return {
      status: 200,
      body: { provenUntil: (await provenUntil(db, session.hash)).toISOString() },
      session,
    };
  },

  async changePassword(call): Promise<Answer<'changePassword'>> {
    const { db, caller, body } = call;
    const { userId } = caller;
    requireOwnSignIn(caller, 'Changing how you sign in');
    const account = await store.findAccount(db, { userId });
    if (!account?.passwordHash) throw conflict('You sign in without a password here');
    const fault = newPasswordFault(body.password, account.email);
    if (fault !== undefined) throw invalid([{ path: 'password', message: fault }]);
    await requireOwnPassword(db, caller, body.currentPassword, 'currentPassword');
    const passwordHash = await hashPassword(body.password);
    const { session, ended } = await change(db, actorOf(call), async (tx, record) => {
      await store.setPasswordHash(tx, userId, passwordHash);
      const renewed = await requireRenewed(tx, caller);
      const others = await deleteSessionsOf(tx, userId, renewed.hash);
      await forgetDevices(tx, userId, call.presentedDevice);
      await mailSecurityChange(tx, caller, 'Your password was changed.');
      record({ action: 'user.set-password', subject: ['user', userId], changes: {} });
      return { session: renewed, ended: others };
    });
    call.services.wakeMail();
    return { status: 200, body: { ended }, session };
  },

  async beginPasskeySignIn({ db, origin, services }) {
    await countOrRefuse(
      db,
      `passkey:${addressKey(origin.ip)}`,
      PASSKEY_CALLS,
      'Too many sign-ins from this address',
    );
    return ok(await proofOptions(db, services.publicUrl, null));
  },

  async signInWithPasskey(call): Promise<Answer<'signInWithPasskey'>> {
    const { db, body, origin, services, presentedDevice: device, presentedSession } = call;
    await countOrRefuse(
      db,
      `passkey:${addressKey(origin.ip)}`,
      PASSKEY_CALLS,
      'Too many sign-ins from this address',
    );
    const proof = { userId: null, answer: body.passkey };
    const userId = await withTransaction(db, {}, (tx) => takePasskeyProof(tx, services.publicUrl, proof));
    const account = userId === undefined ? undefined : await store.findAccount(db, { userId });
    if (!account) throw unauthorized(NO_PASSKEY);
    const siteId = await chooseSite(db, account, body.siteId, origin.ip);
    const who = { siteId, userId: account.userId, origin, device, verifiedBy: 'passkey' as const };
    return beginSession(db, who, async (tx) => {
      // Removed or reset since it was looked at.
      await store.lockAccount(tx, account.userId);
      if (!(await isPasskeyOf(tx, account.userId, body.passkey.id))) throw unauthorized(NO_PASSKEY);
      if (presentedSession) await endSession(tx, presentedSession, origin.ip);
    });
  },
};

async function byFactor({ db, caller, body, services, presentedDevice }: Call<'provePresence'>) {
  const from = await knownDeviceOf(db, caller.userId, presentedDevice);
  await countCodeTry(db, caller.userId, body, from);
  const session = await withTransaction(db, {}, async (tx) => {
    const verifiedBy = await takeProof(tx, services, caller.userId, body);
    return verifiedBy && requireRenewed(tx, caller);
  });
  if (!session) throw wrongProof(body);
  await forgetCodeTries(db, caller.userId, from);
  return session;
}

async function byPassword({ db, caller }: Call<'provePresence'>, password: string) {
  const methods = proofMethods(await readFactors(db, caller.userId), true);
  if (!methods.includes('password')) throw forbidden('Prove it with your second factor');
  await requireOwnPassword(db, caller, password, 'password');
  return withTransaction(db, {}, (tx) => requireRenewed(tx, caller));
}

/** @throws ApiError 400 for a wrong one: 401 would say that the session is over */
async function requireOwnPassword(db: Db, { userId }: Caller, password: string, path: string): Promise<void> {
  const key = `own-password:${userId}`;
  await countOrRefuse(db, key, OWN_PASSWORDS, 'Too many wrong passwords');
  const account = await store.findAccount(db, { userId });
  if (!(await checkPassword(password, account?.passwordHash ?? null)))
    throw invalid([{ path, message: 'is wrong' }]);
  await forget(db, key);
}

/** @throws ApiError 401 when the session has ended meanwhile */
async function requireRenewed(tx: Tx, caller: Caller) {
  const session = await renewSession(tx, caller);
  if (!session) throw unauthorized();
  return session;
}
