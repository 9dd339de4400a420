import {
  beginAuthenticator,
  confirmAuthenticator,
  countCodeTry,
  factorsChanged,
  forgetCodeTries,
  mailSecurityChange,
  makeRecoveryCodes,
  proofOptions,
  readFactors,
  secondFactorMethods,
  takeProof,
  wrongProof,
} from '../areas/access/index.ts';
import { ACTIVITY, writeActivity } from '../kernel/audit/activity.store.ts';
import { requireOwnSignIn } from '../kernel/auth/authorize.ts';
import type { Caller, Origin } from '../kernel/auth/caller.ts';
import { actorOf, change } from '../kernel/change.ts';
import type { Db } from '../kernel/db/database.ts';
import type { PendingStep } from '../kernel/db/tables.ts';
import { withTransaction } from '../kernel/db/transaction.ts';
import { ApiError, conflict, unauthorized } from '../kernel/http/errors.ts';
import { ok, type Answer, type Call, type Handlers } from '../kernel/http/handler.ts';
import { completeSession, endSession, newSessionOf, renewSession } from './begin.ts';
import { countTry, knownDeviceOf } from './session.store.ts';

const OVER = 'This sign-in is over: begin again with your password';

type Operations = 'verifySecondFactor' | 'beginPasskeyProof' | 'beginEnrolment' | 'confirmEnrolment';

/** The second half of a sign-in, and setting up what it asks for (spec 2.1, twoFactorEnabled). */
export const secondFactorHandlers: Handlers<Operations> = {
  async verifySecondFactor(call): Promise<Answer<'verifySecondFactor'>> {
    const { db, caller, body, origin, services } = call;
    if (caller.pending !== 'two-factor') throw unauthorized(OVER);
    const begun = await oneOfFive(db, caller, 'two-factor');
    const from = await knownDeviceOf(db, caller.userId, call.presentedDevice);
    await countCodeTry(db, caller.userId, body, from);
    const session = await withTransaction(db, {}, async (tx) => {
      const verifiedBy = await takeProof(tx, services, caller.userId, body);
      if (!verifiedBy) return undefined;
      const whole = await completeSession(tx, caller, origin, { verifiedBy, device: call.presentedDevice });
      // Ended meanwhile: the code stays good for the next sign-in, for this transaction leaves nothing.
      if (!whole) throw unauthorized(OVER);
      if (verifiedBy === 'recovery-code')
        await mailSecurityChange(tx, caller, 'A recovery code was used to sign in to your account.');
      return whole;
    });
    if (!session) throw await refused(db, caller, origin, begun.last, body);
    services.wakeMail();
    await forgetCodeTries(db, caller.userId, from);
    return { status: 200, body: await newSessionOf(db, session, origin.ip), session };
  },

  async beginPasskeyProof({ db, caller, services }) {
    return ok(await proofOptions(db, services.publicUrl, caller.userId));
  },

  async beginEnrolment({ db, caller, services }) {
    await requireEnrolment(db, caller);
    return ok(await beginAuthenticator(db, services.seals, caller));
  },

  confirmEnrolment,
};

/** Who is asked for a code has an app already: it is not replaced by the password alone. */
async function requireEnrolment(db: Db, caller: Caller): Promise<void> {
  requireOwnSignIn(caller, 'Changing how you sign in');
  if (!caller.pending) return;
  // Set up in another window meanwhile.
  if (secondFactorMethods(await readFactors(db, caller.userId)).length > 0) throw unauthorized(OVER);
}

/** @throws ApiError 401 when the five tries of this sign-in are used up */
async function oneOfFive(db: Db, caller: Caller, pending: PendingStep): Promise<{ last: boolean }> {
  const counted = await countTry(db, caller.tokenHash, pending);
  if (!counted) throw unauthorized(OVER);
  return counted;
}

/** Notes a wrong proof; after the fifth the sign-in is over. */
async function refused(
  db: Db,
  caller: Caller,
  { ip }: Origin,
  last: boolean,
  proof: object,
): Promise<ApiError> {
  if (last) {
    await withTransaction(db, {}, (tx) => endSession(tx, caller.tokenHash, ip));
    return unauthorized(OVER);
  }
  const { siteId, userId, tokenHash: session } = caller;
  await writeActivity(db, { siteId, userId, kind: ACTIVITY.unverified, ip, session });
  return wrongProof(proof);
}

async function confirmEnrolment(call: Call<'confirmEnrolment'>): Promise<Answer<'confirmEnrolment'>> {
  const { db, caller, body, origin, services } = call;
  await requireEnrolment(db, caller);
  const begun = caller.pending ? await oneOfFive(db, caller, 'enrolment') : undefined;
  const { userId } = caller;
  const from = await knownDeviceOf(db, userId, call.presentedDevice);
  await countCodeTry(db, userId, body, from);
  const made = await change(db, actorOf(call), (tx, record) =>
    factorsChanged(tx, caller, { userId, action: 'user.authenticator' }, record, async () => {
      const confirmed = await confirmAuthenticator(tx, services.seals, { userId, code: body.code });
      if (confirmed === undefined) throw conflict('Nothing was begun: ask for a new secret first');
      if (!confirmed) throw new WrongCode();
      const session = caller.pending
        ? await completeSession(tx, caller, origin, { verifiedBy: 'code', device: call.presentedDevice })
        : await renewSession(tx, caller, 'code');
      if (!session) throw unauthorized(OVER);
      await mailSecurityChange(tx, caller, 'An authenticator app was set up for your account.');
      return { session, recoveryCodes: await makeRecoveryCodes(tx, services.seals, userId) };
    }),
  ).catch(async (error: unknown) => {
    if (!(error instanceof WrongCode)) throw error;
    throw begun ? await refused(db, caller, origin, begun.last, body) : wrongProof(body);
  });
  services.wakeMail();
  await forgetCodeTries(db, userId, from);
  const { session, recoveryCodes } = made;
  return {
    status: 200,
    body: { session: await newSessionOf(db, session, origin.ip), recoveryCodes },
    session,
  };
}

/** Leaves nothing of the change behind. */
class WrongCode extends Error {}
