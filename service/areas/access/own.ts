import { actorOf, change } from '../../kernel/change.ts';
import { requireOwnSignIn } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { PROOF_MINUTES } from '../../kernel/auth/store.ts';
import { conflict, invalid, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { factorsChanged } from './changed.ts';
import { hasFactor, readFactors } from './factors.store.ts';
import { mailSecurityChange } from './mails.ts';
import { checkRegistration, passkeysOffered, registrationOptions, shownPasskey } from './passkeys.ts';
import { deletePasskey, insertPasskey, listPasskeys } from './passkeys.store.ts';
import { proofMethods, secondFactorMethods } from './proofs.ts';
import { makeRecoveryCodes } from './recovery.ts';
import { endSessions, isOwnSession, listSessions, proofHolds, readAccount } from './sessions.store.ts';

/** More than anybody owns; each is looked at when one more is added. */
const PASSKEYS = 20;
/** A factor belongs to the account: on the other sites it says who the person is. */
const CHANGING = 'Changing how you sign in';

type Operations =
  | 'getOwnSecurity'
  | 'regenerateRecoveryCodes'
  | 'beginPasskeyRegistration'
  | 'registerPasskey'
  | 'removePasskey'
  | 'listOwnSessions'
  | 'endOtherSessions'
  | 'endOwnSession';

export const ownAccessHandlers: Handlers<Operations> = {
  async getOwnSecurity({ db, caller, services }) {
    const [factors, passkeys, account, until] = [
      await readFactors(db, caller.userId),
      await listPasskeys(db, caller.userId),
      await readAccount(db, caller.userId),
      await proofHolds(db, caller.tokenHash, PROOF_MINUTES),
    ];
    return ok({
      twoFactorRequired: factors.isRequired,
      authenticatorDate: factors.authenticatorAt?.toISOString() ?? null,
      passkeys: passkeys.map(shownPasskey),
      recoveryCodesLeft: factors.recoveryCodes,
      proofs: proofMethods(factors, account?.hasPassword ?? false),
      provenUntil: until?.toISOString() ?? null,
      passkeysOffered: passkeysOffered(services.publicUrl),
    });
  },

  async regenerateRecoveryCodes(call) {
    const { userId } = call.caller;
    requireOwnSignIn(call.caller, CHANGING);
    const recoveryCodes = await change(call.db, actorOf(call), async (tx, record) => {
      if (!hasFactor(await readFactors(tx, userId)))
        throw conflict('Recovery codes stand in for a second factor: set one up first');
      record({ action: 'user.recovery-codes', subject: ['user', userId], changes: {} });
      return makeRecoveryCodes(tx, call.services.seals, userId);
    });
    return ok({ recoveryCodes });
  },

  async beginPasskeyRegistration({ db, caller, services }) {
    requireOwnSignIn(caller, CHANGING);
    return ok(await registrationOptions(db, services.publicUrl, caller));
  },

  registerPasskey,

  async removePasskey(call) {
    const { caller, params } = call;
    requireOwnSignIn(caller, CHANGING);
    await change(call.db, actorOf(call), (tx, record) => {
      const about = { userId: caller.userId, action: 'user.passkey-removed' };
      return factorsChanged(tx, caller, about, record, async () => {
        const name = await deletePasskey(tx, caller.userId, params.passkeyId);
        if (name === undefined) throw notFound(`Passkey ${params.passkeyId}`);
        const left = await readFactors(tx, caller.userId);
        if (left.isRequired && !hasFactor(left))
          throw conflict(
            'This is your last second factor, and a site asks for one: set up another one first',
          );
        await mailSecurityChange(tx, caller, `The passkey “${name}” was removed from your account.`);
      });
    });
    call.services.wakeMail();
    return done;
  },

  async listOwnSessions({ db, caller }) {
    return ok(await listSessions(db, caller.userId, { siteId: reachOf(caller), current: caller.tokenHash }));
  },

  async endOtherSessions(call) {
    return ok({ ended: await endOwn(call) });
  },

  async endOwnSession(call) {
    const { sessionId } = call.params;
    if (await isOwnSession(call.db, call.caller.tokenHash, sessionId))
      throw conflict('This is the session you work in: sign out to end it');
    if ((await endOwn(call, sessionId)) === 0) throw notFound('The session');
    return done;
  },
};

/** The one site of a session that an identity manager opened: it is told of no other, and ends nothing there. */
const reachOf = ({ isFederated, siteId }: Caller): number | undefined => (isFederated ? siteId : undefined);

/** Ends other sessions of the caller, or one of them. */
function endOwn(call: Pick<Call, 'db' | 'caller' | 'origin'>, sessionId?: string) {
  const { userId, tokenHash } = call.caller;
  const siteId = reachOf(call.caller);
  return change(call.db, actorOf(call), async (tx, record) => {
    const ended = await endSessions(tx, userId, { siteId, sessionId, butFor: tokenHash });
    if (ended > 0)
      record({ action: 'user.end-sessions', subject: ['user', userId], changes: { sessions: [ended, 0] } });
    return ended;
  });
}

async function registerPasskey(call: Call<'registerPasskey'>) {
  const { db, caller, body, services } = call;
  const { userId } = caller;
  requireOwnSignIn(caller, CHANGING);
  const name = body.name.trim();
  if (name === '') throw invalid([{ path: 'name', message: 'must not be empty' }]);
  const made = await checkRegistration(db, services.publicUrl, { userId, answer: body.passkey });
  if (!made) throw invalid([{ path: 'passkey', message: 'does not fit: begin again' }]);
  const registered = await change(db, actorOf(call), (tx, record) => {
    const about = { userId, action: 'user.passkey-added', details: { passkey: [null, name] } };
    return factorsChanged(tx, caller, about, record, async () => {
      const before = await readFactors(tx, userId);
      if (before.passkeys >= PASSKEYS) throw conflict(`You have ${PASSKEYS} passkeys: remove one first`);
      const passkey = await insertPasskey(tx, { ...made, name });
      if (!passkey) throw conflict('This passkey is known already');
      await mailSecurityChange(tx, caller, `The passkey “${name}” was added to your account.`);
      const isFirst = secondFactorMethods(before).length === 0;
      return {
        passkey: shownPasskey(passkey),
        ...(isFirst && { recoveryCodes: await makeRecoveryCodes(tx, services.seals, userId) }),
      };
    });
  });
  services.wakeMail();
  return ok(registered);
}
