import { actorOf, change } from '../../kernel/change.ts';
import { conflict, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Handlers } from '../../kernel/http/handler.ts';
import { getUsers, lockUser, requireAuthorityOver } from '../members/index.ts';
import { findKey, shownKey } from '../tokens/index.ts';
import { forgetFactors } from './changed.ts';
import { isElsewhere, lockAccount, readFactors } from './factors.store.ts';
import { secondFactorMethods } from './proofs.ts';
import { endSessions, listSessions } from './sessions.store.ts';

/** What an administrator sees of somebody's sign-ins, and what they do for somebody who cannot help themselves. */
export const userAccessHandlers: Handlers<'getUserSecurity' | 'resetTwoFactor' | 'endUserSessions'> = {
  async getUserSecurity({ db, caller, params: { userId } }) {
    const { siteId } = caller;
    const [user] = await getUsers(db, siteId, [userId]);
    if (!user) throw notFound(`User ${userId}`);
    const factors = await readFactors(db, userId);
    return ok({
      userId,
      twoFactorEnabled: user.twoFactorEnabled,
      methods: secondFactorMethods(factors),
      authenticatorDate: factors.authenticatorAt?.toISOString() ?? null,
      passkeys: factors.passkeys,
      recoveryCodesLeft: factors.recoveryCodes,
      sessions: await listSessions(db, userId, { siteId, current: caller.tokenHash }),
      ...shownKey(await findKey(db, siteId, userId)),
    });
  },

  async resetTwoFactor(call) {
    const { caller, params } = call;
    const { userId } = params;
    await change(call.db, actorOf(call), async (tx, record) => {
      await lockAccount(tx, userId);
      const user = await lockUser(tx, caller.siteId, userId);
      if (!user) throw notFound(`User ${userId}`);
      if (userId === caller.userId)
        throw conflict(
          'This is your own: replace it in your security settings, or ask another administrator',
        );
      await requireAuthorityOver(tx, caller, userId, 'Resetting the second factor of this user');
      // It guards every site of its owner, as the e-mail address does.
      if (user.homeSiteId !== caller.siteId || (await isElsewhere(tx, caller.siteId, userId)))
        throw conflict(
          'This user belongs to other sites too: one site alone cannot reset their second factor',
        );
      const about = { userId, action: 'user.two-factor-reset', butFor: caller.tokenHash };
      if (!(await forgetFactors(tx, caller, about, record)))
        throw conflict('This user has not set up a second factor');
    });
    call.services.wakeMail();
    return done;
  },

  async endUserSessions(call) {
    const { caller, params, query } = call;
    const { userId } = params;
    const ended = await change(call.db, actorOf(call), async (tx, record) => {
      if (!(await lockUser(tx, caller.siteId, userId))) throw notFound(`User ${userId}`);
      await requireAuthorityOver(tx, caller, userId, 'Ending the sessions of this user');
      const { siteId, tokenHash: butFor } = caller;
      const count = await endSessions(tx, userId, { siteId, sessionId: query.sessionId, butFor });
      if (count > 0)
        record({ action: 'user.end-sessions', subject: ['user', userId], changes: { sessions: [count, 0] } });
      return count;
    });
    return ok({ ended });
  },
};
