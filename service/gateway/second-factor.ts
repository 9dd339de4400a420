import {
  startAuthenticatorSetup,
  confirmAuthenticatorSetup,
  countCodeAttempt,
  changeFactors,
  clearCodeAttempts,
  mailSecurityChange,
  createRecoveryCodes,
  createProofOptions,
  readFactors,
  getSecondFactorMethods,
  consumeProof,
  wrongProofError,
} from '../areas/access/index.ts';
import { ApiError, conflict, unauthorized } from '../kernel/api-error.ts';
import { ACTIVITY_TYPE, insertActivity } from '../kernel/audit/activity.store.ts';
import { getActor, change } from '../kernel/audit/change.ts';
import { rejectFederatedSession } from '../kernel/auth/authorize.ts';
import type { Caller, RequestOrigin } from '../kernel/auth/caller.ts';
import { type Db, withTransaction } from '../kernel/db/database.ts';
import type { PendingStep } from '../kernel/db/tables/index.ts';
import { ok, type HandlerResponse, type Call, type Handlers } from '../kernel/http/handler.ts';
import { completeSession, endSession, loadStartedSession, renewSession } from './session-lifecycle.ts';
import { countFactorAttempt, findKnownDevice } from './session.store.ts';

const SIGN_IN_OVER = 'This sign-in has expired. Start again with your password.';

type Operations = 'verifySecondFactor' | 'beginPasskeyProof' | 'beginEnrolment' | 'confirmEnrolment';

/** Second step of a sign-in, and enrolment of the factor that it requires (spec 2.1, twoFactorEnabled). */
export const secondFactorHandlers: Handlers<Operations> = {
  async verifySecondFactor(call): Promise<HandlerResponse<'verifySecondFactor'>> {
    const { db, caller, body, origin, services } = call;
    if (caller.pending !== 'two-factor') throw unauthorized(SIGN_IN_OVER);
    const attempt = await requireAttemptLeft(db, caller, 'two-factor');
    const knownDevice = await findKnownDevice(db, caller.userId, call.deviceTokenHash);
    await countCodeAttempt(db, caller.userId, body, knownDevice);
    const session = await withTransaction(db, {}, async (tx) => {
      const verifiedBy = await consumeProof(tx, services, caller.userId, body);
      if (!verifiedBy) return undefined;
      const completed = await completeSession(tx, caller, origin, {
        verifiedBy,
        deviceTokenHash: call.deviceTokenHash,
      });
      // The session has ended: rolling back keeps the code valid for the next sign-in.
      if (!completed) throw unauthorized(SIGN_IN_OVER);
      if (verifiedBy === 'recovery-code')
        await mailSecurityChange(tx, caller, 'A recovery code was used to sign in to your account.');
      return completed;
    });
    if (!session) throw await saveWrongProof(db, caller, origin, attempt.isLast, body);
    await clearCodeAttempts(db, caller.userId, knownDevice);
    return { status: 200, body: await loadStartedSession(db, session, origin.ip), session };
  },

  async beginPasskeyProof({ db, caller, services }) {
    return ok(await createProofOptions(db, services.publicUrl, caller.userId));
  },

  async beginEnrolment({ db, caller, services }) {
    await requireEnrolmentAllowed(db, caller);
    return ok(await startAuthenticatorSetup(db, services.encryption, caller));
  },

  confirmEnrolment,
};

/** Rejects enrolment when the user already has a second factor: the password alone must not replace it. */
async function requireEnrolmentAllowed(db: Db, caller: Caller): Promise<void> {
  rejectFederatedSession(caller, 'Changing how you sign in');
  if (!caller.pending) return;
  // It may have been set up in another window.
  if (getSecondFactorMethods(await readFactors(db, caller.userId)).length > 0)
    throw unauthorized(SIGN_IN_OVER);
}

/** Counts an attempt. @throws ApiError 401 when all five attempts of this sign-in are used */
async function requireAttemptLeft(
  db: Db,
  caller: Caller,
  pending: PendingStep,
): Promise<{ isLast: boolean }> {
  const counted = await countFactorAttempt(db, caller.tokenHash, pending);
  if (!counted) throw unauthorized(SIGN_IN_OVER);
  return counted;
}

/** Logs a wrong proof and returns the error; the fifth ends the sign-in. */
async function saveWrongProof(
  db: Db,
  caller: Caller,
  { ip }: RequestOrigin,
  isLast: boolean,
  proof: object,
): Promise<ApiError> {
  if (isLast) {
    await withTransaction(db, {}, (tx) => endSession(tx, caller.tokenHash, ip));
    return unauthorized(SIGN_IN_OVER);
  }
  const { siteId, userId, tokenHash: session } = caller;
  await insertActivity(db, { siteId, userId, kind: ACTIVITY_TYPE.unverified, ip, session });
  return wrongProofError(proof);
}

async function confirmEnrolment(
  call: Call<'confirmEnrolment'>,
): Promise<HandlerResponse<'confirmEnrolment'>> {
  const { db, caller, body, origin, services } = call;
  await requireEnrolmentAllowed(db, caller);
  const attempt = caller.pending ? await requireAttemptLeft(db, caller, 'enrolment') : undefined;
  const { userId } = caller;
  const knownDevice = await findKnownDevice(db, userId, call.deviceTokenHash);
  await countCodeAttempt(db, userId, body, knownDevice);
  const result = await change(db, getActor(call), (tx, record) =>
    changeFactors(tx, caller, { userId, action: 'user.authenticator' }, record, async () => {
      const confirmed = await confirmAuthenticatorSetup(tx, services.encryption, { userId, code: body.code });
      if (confirmed === undefined) throw conflict('No enrolment was started. Request a new secret first.');
      if (!confirmed) throw new WrongCodeError();
      const session = caller.pending
        ? await completeSession(tx, caller, origin, {
            verifiedBy: 'code',
            deviceTokenHash: call.deviceTokenHash,
          })
        : await renewSession(tx, caller, 'code');
      if (!session) throw unauthorized(SIGN_IN_OVER);
      await mailSecurityChange(tx, caller, 'An authenticator app was set up for your account.');
      return { session, recoveryCodes: await createRecoveryCodes(tx, services.encryption, userId) };
    }),
  ).catch(async (error: unknown) => {
    if (!(error instanceof WrongCodeError)) throw error;
    throw attempt ? await saveWrongProof(db, caller, origin, attempt.isLast, body) : wrongProofError(body);
  });
  await clearCodeAttempts(db, userId, knownDevice);
  const { session, recoveryCodes } = result;
  return {
    status: 200,
    body: { session: await loadStartedSession(db, session, origin.ip), recoveryCodes },
    session,
  };
}

/** Rolls the change back. */
class WrongCodeError extends Error {}
