import { conflict, badRequest, notFound } from '../../kernel/api-error.ts';
import { getActor, change } from '../../kernel/audit/change.ts';
import { rejectFederatedSession } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { PROOF_TTL_MINUTES } from '../../kernel/auth/callers.store.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import {
  getUsers,
  isMemberOfOtherSite,
  lockAccounts,
  lockUser,
  requireAuthorityOver,
} from '../members/index.ts';
import { findLatestKey, toApiKeys } from '../tokens/index.ts';
import { createRecoveryCodes } from './codes.ts';
import { changeFactors, mailSecurityChange, resetFactors } from './factor-changes.ts';
import { countTwoFactorCoverage, hasFactor, listUsersWithoutFactor, readFactors } from './factors.store.ts';
import { deletePasskey, insertPasskey, listPasskeys } from './passkeys.store.ts';
import {
  verifyRegistration,
  arePasskeysAvailable,
  createRegistrationOptions,
  toPasskey,
} from './passkeys.ts';
import { getProofMethods, getSecondFactorMethods } from './proofs.ts';
import { endSessions, isOwnSession, listSessions, getProofExpiry, readAccount } from './sessions.store.ts';

/** All passkeys are sent as an exclusion list with each registration, so their number is limited. */
const MAX_PASSKEYS = 20;
/**
 * Action named in the error message when a federated session is rejected: factors belong to the account, which other
 * sites rely on.
 */
const CHANGING_SIGN_IN = 'Changing how you sign in';

type OwnOperations =
  | 'getOwnSecurity'
  | 'regenerateRecoveryCodes'
  | 'beginPasskeyRegistration'
  | 'registerPasskey'
  | 'removePasskey'
  | 'listOwnSessions'
  | 'endOtherSessions'
  | 'endOwnSession';

export const ownAccessHandlers: Handlers<OwnOperations> = {
  async getOwnSecurity({ db, caller, services }) {
    const [factors, passkeys, account, provenUntil] = [
      await readFactors(db, caller.userId),
      await listPasskeys(db, caller.userId),
      await readAccount(db, caller.userId),
      await getProofExpiry(db, caller.tokenHash, PROOF_TTL_MINUTES),
    ];
    return ok({
      twoFactorRequired: factors.isRequired,
      authenticatorDate: factors.authenticatorAt?.toISOString() ?? null,
      passkeys: passkeys.map(toPasskey),
      recoveryCodesLeft: factors.recoveryCodes,
      proofs: getProofMethods(factors, account?.hasPassword ?? false),
      provenUntil: provenUntil?.toISOString() ?? null,
      passkeysOffered: arePasskeysAvailable(services.publicUrl),
    });
  },

  async regenerateRecoveryCodes(call) {
    const { userId } = call.caller;
    rejectFederatedSession(call.caller, CHANGING_SIGN_IN);
    const recoveryCodes = await change(call.db, getActor(call), async (tx, record) => {
      // Of two requests at once the second replaces the codes of the first; a reset leaves none.
      await lockAccounts(tx, [userId]);
      if (!hasFactor(await readFactors(tx, userId)))
        throw conflict('Set up a second factor first: recovery codes replace one');
      record({ action: 'user.recovery-codes', subject: ['user', userId], changes: {} });
      return createRecoveryCodes(tx, call.services.encryption, userId);
    });
    return ok({ recoveryCodes });
  },

  async beginPasskeyRegistration({ db, caller, services }) {
    rejectFederatedSession(caller, CHANGING_SIGN_IN);
    return ok(await createRegistrationOptions(db, services.publicUrl, caller));
  },

  registerPasskey,

  async removePasskey(call) {
    const { caller, params } = call;
    rejectFederatedSession(caller, CHANGING_SIGN_IN);
    await change(call.db, getActor(call), (tx, record) => {
      const factorChange = { userId: caller.userId, action: 'user.passkey-removed' };
      return changeFactors(tx, caller, factorChange, record, async () => {
        const name = await deletePasskey(tx, caller.userId, params.passkeyId);
        if (name === undefined) throw notFound(`Passkey ${params.passkeyId}`);
        const remaining = await readFactors(tx, caller.userId);
        if (remaining.isRequired && !hasFactor(remaining))
          throw conflict(
            'This is your last second factor, and a site requires one. Set up another one first.',
          );
        await mailSecurityChange(tx, caller, `The passkey “${name}” was removed from your account.`);
      });
    });
    return noContent;
  },

  async listOwnSessions({ db, caller }) {
    return ok(
      await listSessions(db, caller.userId, {
        siteId: getVisibleSiteId(caller),
        currentTokenHash: caller.tokenHash,
      }),
    );
  },

  async endOtherSessions(call) {
    return ok({ ended: await endOwnSessions(call) });
  },

  async endOwnSession(call) {
    const { sessionId } = call.params;
    if (await isOwnSession(call.db, call.caller.tokenHash, sessionId))
      throw conflict('This is your current session. Sign out to end it.');
    if ((await endOwnSessions(call, sessionId)) === 0) throw notFound('The session');
    return noContent;
  },
};

/**
 * The only site that a session opened by an identity manager may see and end sessions of; undefined for other sessions.
 */
const getVisibleSiteId = ({ isFederated, siteId }: Caller): number | undefined =>
  isFederated ? siteId : undefined;

/** Ends one other session of the caller, or all of them. */
function endOwnSessions(call: Pick<Call, 'db' | 'caller' | 'origin'>, sessionId?: string) {
  const { userId, tokenHash } = call.caller;
  const siteId = getVisibleSiteId(call.caller);
  return change(call.db, getActor(call), async (tx, record) => {
    const ended = await endSessions(tx, userId, { siteId, sessionId, exceptTokenHash: tokenHash });
    if (ended > 0)
      record({ action: 'user.end-sessions', subject: ['user', userId], changes: { sessions: [ended, 0] } });
    return ended;
  });
}

async function registerPasskey(call: Call<'registerPasskey'>) {
  const { db, caller, body, services } = call;
  const { userId } = caller;
  rejectFederatedSession(caller, CHANGING_SIGN_IN);
  const name = body.name.trim();
  if (name === '') throw badRequest([{ path: 'name', message: 'must not be empty' }]);
  const credential = await verifyRegistration(db, services.publicUrl, { userId, answer: body.passkey });
  if (!credential) throw badRequest([{ path: 'passkey', message: 'is invalid: start again' }]);
  const registered = await change(db, getActor(call), (tx, record) => {
    const factorChange = { userId, action: 'user.passkey-added', details: { passkey: [null, name] } };
    return changeFactors(tx, caller, factorChange, record, async () => {
      const before = await readFactors(tx, userId);
      if (before.passkeys >= MAX_PASSKEYS)
        throw conflict(`You have ${MAX_PASSKEYS} passkeys: remove one first`);
      const passkey = await insertPasskey(tx, { ...credential, name });
      if (!passkey) throw conflict('This passkey is registered already');
      await mailSecurityChange(tx, caller, `The passkey “${name}” was added to your account.`);
      const isFirst = getSecondFactorMethods(before).length === 0;
      return {
        passkey: toPasskey(passkey),
        ...(isFirst && { recoveryCodes: await createRecoveryCodes(tx, services.encryption, userId) }),
      };
    });
  });
  return ok(registered);
}

/** Operations of administrators on the sign-in methods and sessions of another user. */
export const userAccessHandlers: Handlers<'getUserSecurity' | 'resetTwoFactor' | 'endUserSessions'> = {
  async getUserSecurity({ db, caller, params: { userId } }) {
    const { siteId } = caller;
    const [user] = await getUsers(db, siteId, [userId]);
    if (!user) throw notFound(`User ${userId}`);
    const factors = await readFactors(db, userId);
    return ok({
      userId,
      twoFactorEnabled: user.twoFactorEnabled,
      methods: getSecondFactorMethods(factors),
      authenticatorDate: factors.authenticatorAt?.toISOString() ?? null,
      passkeys: factors.passkeys,
      recoveryCodesLeft: factors.recoveryCodes,
      sessions: await listSessions(db, userId, { siteId, currentTokenHash: caller.tokenHash }),
      ...toApiKeys(await findLatestKey(db, siteId, userId)),
    });
  },

  async resetTwoFactor(call) {
    const { caller, params } = call;
    const { userId } = params;
    await change(call.db, getActor(call), async (tx, record) => {
      await lockAccounts(tx, [userId]);
      const user = await lockUser(tx, caller.siteId, userId);
      if (!user) throw notFound(`User ${userId}`);
      if (userId === caller.userId)
        throw conflict(
          'This is your own second factor. Replace it in your security settings, or ask another administrator.',
        );
      await requireAuthorityOver(tx, caller, userId, 'Resetting the second factor of this user');
      // Like the e-mail address, the second factor protects every site of its owner.
      if (user.homeSiteId !== caller.siteId || (await isMemberOfOtherSite(tx, caller.siteId, userId)))
        throw conflict(
          'This user is also a member of other sites. One site alone cannot reset the second factor.',
        );
      const reset = { userId, action: 'user.two-factor-reset', exceptTokenHash: caller.tokenHash };
      if (!(await resetFactors(tx, caller, reset, record)))
        throw conflict('This user has not set up a second factor');
    });
    return noContent;
  },

  async endUserSessions(call) {
    const { caller, params, query } = call;
    const { userId } = params;
    const ended = await change(call.db, getActor(call), async (tx, record) => {
      if (!(await lockUser(tx, caller.siteId, userId))) throw notFound(`User ${userId}`);
      await requireAuthorityOver(tx, caller, userId, 'Ending the sessions of this user');
      const { siteId, tokenHash: exceptTokenHash } = caller;
      const count = await endSessions(tx, userId, { siteId, sessionId: query.sessionId, exceptTokenHash });
      if (count > 0)
        record({ action: 'user.end-sessions', subject: ['user', userId], changes: { sessions: [count, 0] } });
      return count;
    });
    return ok({ ended });
  },
};

/** Coverage of two-factor authentication on a site (spec 2.1). */
export const coverageHandlers: Handlers<'readTwoFactorCoverage'> = {
  async readTwoFactorCoverage({ db, caller: { siteId } }) {
    const counts = await countTwoFactorCoverage(db, siteId);
    return ok({ ...counts, people: await listUsersWithoutFactor(db, siteId) });
  },
};
