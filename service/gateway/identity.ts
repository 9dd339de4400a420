import { beginIdentity, finishIdentity, identitySignOut } from '../areas/identity/index.ts';
import { ACTIVITY, writeActivity } from '../kernel/audit/activity.store.ts';
import { refuseAddress } from '../kernel/auth/authorize.ts';
import { findSession } from '../kernel/auth/store.ts';
import { addressKey, countOrRefuse } from '../kernel/auth/throttle.store.ts';
import { forbidden } from '../kernel/http/errors.ts';
import { ok, type Handlers } from '../kernel/http/handler.ts';
import { beginSession, endSession } from './begin.ts';
import { sitesOf } from './store.ts';

const STARTS_OF_AN_ADDRESS = { limit: 300, seconds: 300 };

type Operations = 'beginIdentitySignIn' | 'finishIdentitySignIn' | 'getIdentitySignOut';

/**
 * Sign-in through the identity manager of a site (spec 2.1). A second factor is the manager's to ask for: passwords and
 * codes of this platform open no such site.
 */
export const identityHandlers: Handlers<Operations> = {
  async beginIdentitySignIn({ db, body, origin, services, presentedSession }) {
    const key = `sign-in:${addressKey(origin.ip)}`;
    await countOrRefuse(db, key, STARTS_OF_AN_ADDRESS, 'Too many sign-ins from this address');
    const open = presentedSession && (await findSession(db, presentedSession, origin.ip));
    return ok(await beginIdentity(db, { slug: body.site, openSite: open?.own.siteId }, services));
  },

  async getIdentitySignOut({ db, caller, services }) {
    return ok({ url: await identitySignOut(db, caller.siteId, services) });
  },

  async finishIdentitySignIn({ db, body, origin, services, presentedSession, presentedDevice: device }) {
    const { siteId, userId, provenAt } = await finishIdentity(db, body, services, origin);
    const site = (await sitesOf(db, userId, origin.ip)).find((each) => each.siteId === siteId);
    if (!site || site.refused) {
      await writeActivity(db, { siteId, userId, kind: ACTIVITY.forbidden, ip: origin.ip });
      refuseAddress(site?.refused ?? false, origin.ip);
      throw forbidden(
        'This site is not open to you. An administrator can activate you or give you a license.',
      );
    }
    const federated = { provenAt };
    return beginSession(db, { siteId, userId, origin, device, federated }, async (tx) => {
      // The session that this browser had ends with the new one (T01).
      if (presentedSession) await endSession(tx, presentedSession, origin.ip);
    });
  },
};
