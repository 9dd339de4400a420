import { getSite } from '../areas/sites/index.ts';
import { addAdministrator, checkPerson } from '../areas/users/index.ts';
import { ApiError, conflict, badRequest } from '../kernel/api-error.ts';
import { change } from '../kernel/audit/change.ts';
import { hasAdministrator } from '../kernel/auth/callers.store.ts';
import { createLink, findLink, LINK_TTL_HOURS, consumeLink } from '../kernel/auth/one-time-links.store.ts';
import { startUniformDelay, validateNewPassword, hashPassword } from '../kernel/auth/passwords.ts';
import { consumeLinkRateLimit, consumePasswordMailLimit } from '../kernel/auth/throttle.store.ts';
import { normalizeEmail } from '../kernel/email.ts';
import { noContent, ok, type HandlerResponse, type Handlers } from '../kernel/http/handler.ts';
import { queueMail } from '../kernel/mail/mail.store.ts';
import { composePasswordResetMail } from '../kernel/mail/messages.ts';
import * as store from './accounts.store.ts';
import { startSession } from './session-lifecycle.ts';
import { deleteUserSessions, deleteKnownDevices } from './session.store.ts';

const createLinkExpiredError = () =>
  new ApiError(404, `This link has been used or is older than ${LINK_TTL_HOURS} hours. Request a new one.`);

type Operations = 'inspectLink' | 'setPassword' | 'requestPasswordLink' | 'createFirstAdministrator';

export const linkHandlers: Handlers<Operations> = {
  async inspectLink({ db, body, origin }) {
    await consumeLinkRateLimit(db, origin.ip, 'opened');
    const link = await findLink(db, body.token);
    if (!link) throw createLinkExpiredError();
    const account = link.userId === null ? undefined : await store.findAccount(db, { userId: link.userId });
    const site = await getSite(db, link.siteId);
    return ok({
      purpose: link.purpose,
      email: account?.email ?? null,
      siteName: site.name,
      expiresDate: link.expiresAt.toISOString(),
    });
  },

  async setPassword({ db, body, origin }) {
    await consumeLinkRateLimit(db, origin.ip, 'opened');
    const link = await findLink(db, body.token);
    if (link?.purpose !== 'set-password' || link.userId === null) throw createLinkExpiredError();
    const { userId, siteId } = link;
    const account = await store.findAccount(db, { userId });
    const passwordError = validateNewPassword(body.password, account?.email);
    if (passwordError !== undefined) throw badRequest([{ path: 'password', message: passwordError }]);
    const passwordHash = await hashPassword(body.password);
    await change(db, { siteId, userId, email: account?.email ?? null, origin }, async (tx, record) => {
      // Read again under a lock: of two requests with one link only the first succeeds.
      if (!(await findLink(tx, body.token, true))) throw createLinkExpiredError();
      await consumeLink(tx, body.token);
      await store.setPasswordHash(tx, userId, passwordHash);
      await deleteUserSessions(tx, userId);
      await deleteKnownDevices(tx, userId);
      record({ action: 'user.set-password', subject: ['user', userId], changes: {} });
    });
    return noContent;
  },

  async requestPasswordLink({ db, body, origin, services }) {
    await consumeLinkRateLimit(db, origin.ip, 'requested');
    const uniformDelay = startUniformDelay();
    const { key } = normalizeEmail(body.email);
    const account = await store.findAccount(db, { emailKey: key });
    const sites = account ? await store.listAccessibleSites(db, account.userId, origin.ip) : [];
    const site = sites.find((each) => each.identityMode === 'password');
    // The response is the same for every address; only the owner of an account gets a mail, at most three an hour.
    if (account && site && (await isUnderLimit(() => consumePasswordMailLimit(db, account.userId)))) {
      await change(db, { siteId: site.siteId, userId: null, email: null, origin }, async (tx, record) => {
        const token = await createLink(tx, {
          purpose: 'set-password',
          siteId: site.siteId,
          userId: account.userId,
        });
        const mail = composePasswordResetMail({
          firstName: account.firstName,
          siteName: site.name,
          link: `${services.publicUrl}/link#${token}`,
        });
        await queueMail(tx, { siteId: site.siteId, to: account.email, ttlHours: LINK_TTL_HOURS, ...mail });
        record({ action: 'user.password-link', subject: ['user', account.userId], changes: {} });
      });
    }
    await uniformDelay;
    return { status: 202, body: undefined };
  },

  async createFirstAdministrator({ db, body, origin }): Promise<HandlerResponse<'createFirstAdministrator'>> {
    await consumeLinkRateLimit(db, origin.ip, 'opened');
    const link = await findLink(db, body.token);
    if (link?.purpose !== 'first-administrator') throw createLinkExpiredError();
    const errors = checkPerson(body);
    if (errors.length > 0) throw badRequest(errors);
    const passwordHash = await hashPassword(body.password);
    const userId = await change(
      db,
      { siteId: link.siteId, userId: null, email: null, origin },
      async (tx, record) => {
        if (!(await findLink(tx, body.token, true))) throw createLinkExpiredError();
        if (await hasAdministrator(tx, link.siteId))
          throw conflict('This site already has an administrator. Ask them for access.');
        await consumeLink(tx, body.token);
        const createdId = await addAdministrator(tx, link.siteId, { ...body, passwordHash }, record);
        if (createdId === undefined)
          throw conflict(`${body.email} is already known on this platform`, [
            { path: 'email', message: 'is already known on this platform' },
          ]);
        return createdId;
      },
    );
    return startSession(db, { siteId: link.siteId, userId, origin });
  },
};

async function isUnderLimit(consume: () => Promise<void>): Promise<boolean> {
  try {
    await consume();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
