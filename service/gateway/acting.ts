import { beginActing, endActing, principalsOf } from '../areas/proxies/index.ts';
import { conflict } from '../kernel/http/errors.ts';
import { ok, type Handlers } from '../kernel/http/handler.ts';
import { sessionOf } from './begin.ts';

/** Acting for somebody in a session of the console; programs use the header AS-USER instead. */
export const actingHandlers: Handlers<'listOwnPrincipals' | 'beginActing' | 'endActing'> = {
  async listOwnPrincipals({ db, caller, origin }) {
    return ok(await principalsOf(db, caller, origin));
  },

  async beginActing({ db, caller, body, origin, services }) {
    const { userId: principalId, reason } = body;
    await beginActing(db, caller, origin, { principalId, reason });
    services.wakeMail();
    return ok(await sessionOf(db, caller.tokenHash, origin.ip));
  },

  async endActing({ db, caller, origin }) {
    const { acting } = caller;
    if (!acting || !(await endActing(db, caller, origin, acting)))
      throw conflict('This session acts for nobody');
    return ok(await sessionOf(db, caller.tokenHash, origin.ip));
  },
};
