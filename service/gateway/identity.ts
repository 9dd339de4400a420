import { startIdentitySignIn, finishIdentitySignIn, getIdentitySignOutUrl } from '../areas/identity/index.ts';
import { forbidden } from '../kernel/api-error.ts';
import { ACTIVITY_TYPE, insertActivity } from '../kernel/audit/activity.store.ts';
import { createAddressError } from '../kernel/auth/authorize.ts';
import { findSession } from '../kernel/auth/callers.store.ts';
import { getAddressKey, consumeRateLimit } from '../kernel/auth/throttle.store.ts';
import { ok, type Handlers } from '../kernel/http/handler.ts';
import { listAccessibleSites } from './accounts.store.ts';
import { startSession, endSession } from './session-lifecycle.ts';

const STARTS_PER_ADDRESS = { maxCount: 300, windowSeconds: 300 };

type Operations = 'beginIdentitySignIn' | 'finishIdentitySignIn' | 'getIdentitySignOut';

/**
 * Sign-in through the identity manager of a site (spec 2.1). The manager is responsible for second factors; passwords
 * and codes of this platform do not open such a site.
 */
export const identityHandlers: Handlers<Operations> = {
  async beginIdentitySignIn({ db, body, origin, services, sessionTokenHash }) {
    const key = `sign-in:${getAddressKey(origin.ip)}`;
    await consumeRateLimit(db, key, STARTS_PER_ADDRESS, 'Too many sign-ins from this address');
    const openSession = sessionTokenHash && (await findSession(db, sessionTokenHash, origin.ip));
    return ok(
      await startIdentitySignIn(db, { slug: body.site, currentSiteId: openSession?.caller.siteId }, services),
    );
  },

  async getIdentitySignOut({ db, caller, services }) {
    return ok({ url: await getIdentitySignOutUrl(db, caller.siteId, services) });
  },

  async finishIdentitySignIn({ db, body, origin, services, sessionTokenHash, deviceTokenHash }) {
    const { siteId, userId, provenAt } = await finishIdentitySignIn(db, body, services, origin);
    const site = (await listAccessibleSites(db, userId, origin.ip)).find((each) => each.siteId === siteId);
    if (!site || site.isAddressRefused) {
      await insertActivity(db, { siteId, userId, kind: ACTIVITY_TYPE.forbidden, ip: origin.ip });
      if (site) throw await createAddressError(db, { siteId, userId }, origin.ip);
      throw forbidden(
        'You have no access to this site. An administrator can activate your user or assign a license.',
      );
    }
    const identityProof = { provenAt };
    return startSession(
      db,
      { siteId, userId, origin, deviceTokenHash, identityProof: identityProof },
      {
        // The browser's previous session ends with the new one (T01).
        runFirst: async (tx) => {
          if (sessionTokenHash) await endSession(tx, sessionTokenHash, origin.ip);
        },
      },
    );
  },
};
