import { evenMoment } from '../kernel/auth/even.ts';
import { createLink, findLink, LINK_HOURS, useLink } from '../kernel/auth/links.store.ts';
import { newPasswordFault } from '../kernel/auth/new-password.ts';
import { hashPassword } from '../kernel/auth/password.ts';
import { administratorRemains } from '../kernel/auth/store.ts';
import { countLinkCall, countOrRefuse } from '../kernel/auth/throttle.store.ts';
import { change } from '../kernel/change.ts';
import { normaliseEmail } from '../kernel/email.ts';
import { ApiError, conflict, invalid } from '../kernel/http/errors.ts';
import { done, ok, type Answer, type Handlers } from '../kernel/http/handler.ts';
import { passwordResetMail } from '../kernel/mail/messages.ts';
import { queueMail } from '../kernel/mail/store.ts';
import { getSite } from '../areas/sites/index.ts';
import { addAdministrator, checkPerson } from '../areas/users/index.ts';
import { beginSession } from './begin.ts';
import { deleteSessionsOf, forgetDevices } from './session.store.ts';
import * as store from './store.ts';

const MAILS_TO_ONE = { limit: 3, seconds: 3600 };

const gone = () =>
  new ApiError(404, `This link was used, or its ${LINK_HOURS} hours are over. Ask for a new one.`);

type Operations = 'inspectLink' | 'setPassword' | 'requestPasswordLink' | 'createFirstAdministrator';

export const linkHandlers: Handlers<Operations> = {
  async inspectLink({ db, body, origin }) {
    await countLinkCall(db, origin.ip, 'tried');
    const link = await findLink(db, body.token);
    if (!link) throw gone();
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
    await countLinkCall(db, origin.ip, 'tried');
    const asked = await findLink(db, body.token);
    if (asked?.purpose !== 'set-password' || asked.userId === null) throw gone();
    const { userId, siteId } = asked;
    const account = await store.findAccount(db, { userId });
    const fault = newPasswordFault(body.password, account?.email);
    if (fault !== undefined) throw invalid([{ path: 'password', message: fault }]);
    const passwordHash = await hashPassword(body.password);
    await change(db, { siteId, userId, email: account?.email ?? null, origin }, async (tx, record) => {
      // Found again under a lock: of two requests with one link only the first gets through.
      if (!(await findLink(tx, body.token, true))) throw gone();
      await useLink(tx, body.token);
      await store.setPasswordHash(tx, userId, passwordHash);
      await deleteSessionsOf(tx, userId);
      await forgetDevices(tx, userId);
      record({ action: 'user.set-password', subject: ['user', userId], changes: {} });
    });
    return done;
  },

  async requestPasswordLink({ db, body, origin, services }) {
    await countLinkCall(db, origin.ip, 'asked for');
    const moment = evenMoment();
    const { key } = normaliseEmail(body.email);
    const account = await store.findAccount(db, { emailKey: key });
    const sites = account ? await store.sitesOf(db, account.userId, origin.ip) : [];
    const site = sites.find((each) => each.identityMode === 'password');
    // The answer is the same for everybody; the mail goes to the owner of the address alone, a few an hour.
    if (
      account &&
      site &&
      (await underLimit(() => countOrRefuse(db, `mail:${account.userId}`, MAILS_TO_ONE, '')))
    ) {
      await change(db, { siteId: site.siteId, userId: null, email: null, origin }, async (tx, record) => {
        const token = await createLink(tx, {
          purpose: 'set-password',
          siteId: site.siteId,
          userId: account.userId,
        });
        const mail = passwordResetMail({
          firstName: account.firstName,
          siteName: site.name,
          link: `${services.publicUrl}/link#${token}`,
        });
        await queueMail(tx, { siteId: site.siteId, to: account.email, hours: LINK_HOURS, ...mail });
        record({ action: 'user.password-link', subject: ['user', account.userId], changes: {} });
      });
      services.wakeMail();
    }
    await moment;
    return { status: 202, body: undefined };
  },

  async createFirstAdministrator({ db, body, origin }): Promise<Answer<'createFirstAdministrator'>> {
    await countLinkCall(db, origin.ip, 'tried');
    const link = await findLink(db, body.token);
    if (link?.purpose !== 'first-administrator') throw gone();
    const faults = checkPerson(body);
    if (faults.length > 0) throw invalid(faults);
    const passwordHash = await hashPassword(body.password);
    const userId = await change(
      db,
      { siteId: link.siteId, userId: null, email: null, origin },
      async (tx, record) => {
        if (!(await findLink(tx, body.token, true))) throw gone();
        if (await administratorRemains(tx, link.siteId))
          throw conflict('This site has an administrator already. Ask them to let you in.');
        await useLink(tx, body.token);
        const made = await addAdministrator(tx, link.siteId, { ...body, passwordHash }, record);
        if (made === undefined)
          throw conflict(`${body.email} is already known on this platform`, [
            { path: 'email', message: 'is already known on this platform' },
          ]);
        return made;
      },
    );
    return beginSession(db, { siteId: link.siteId, userId, origin });
  },
};

async function underLimit(count: () => Promise<void>): Promise<boolean> {
  try {
    await count();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
