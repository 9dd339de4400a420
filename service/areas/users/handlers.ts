import { hashPassword } from '../../kernel/auth/password.ts';
import { endLinks } from '../../kernel/auth/store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { invalid, notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { getSite, requireAdministrator } from '../sites/index.ts';
import { requireAuthorityOver } from './authority.ts';
import { createUser } from './create.ts';
import { checkNames, readModifiedSince, withoutEffect } from './rules.ts';
import { eventOf, shown } from './shown.ts';
import * as store from './store.ts';
import { updateUser } from './update.ts';

type Operations = 'searchUsers' | 'createUser' | 'updateUser' | 'removeUser' | 'getUser' | 'getUsersByIds';

export const userHandlers: Handlers<Operations> = {
  async searchUsers({ db, caller, query }) {
    const users = await store.listUsers(db, caller.siteId, {
      modifiedSince:
        query.modifiedSince === undefined ? undefined : readModifiedSince(query.modifiedSince, Date.now()),
      emailKey: query.email === undefined ? undefined : normaliseEmail(query.email).key,
      groupId: query.userGroupId,
      ...pageOf(query),
    });
    return ok(users.map(shown));
  },

  async getUsersByIds({ db, caller, body }) {
    return ok((await store.getUsers(db, caller.siteId, body)).map(shown));
  },

  async getUser({ db, caller, params }) {
    const [user] = await store.getUsers(db, caller.siteId, [params.userId]);
    if (!user) throw notFound(`User ${params.userId}`);
    return ok(shown(user), { etag: etagOf(user.version) });
  },

  async createUser(call) {
    const site = await getSite(call.db, call.caller.siteId);
    const info = withoutEffect(call.body, site.identityMode);
    const faults = checkNames(info);
    if (faults.length > 0) throw invalid(faults);
    // Hashing takes a core for a while: before the transaction, not inside it.
    const passwordHash = info.password === undefined ? null : await hashPassword(info.password);
    const userId = await change(call.db, actorOf(call), (tx, record) =>
      createUser(tx, call, { info, passwordHash, site }, record),
    );
    call.services.wakeMail();
    return ok(userId);
  },

  async updateUser(call) {
    const alone =
      call.body.isActive === false ||
      call.body.groups !== undefined ||
      call.body.ipRestrictionsEnabled === true;
    const user = await change(call.db, actorOf(call), (tx, record) => updateUser(tx, call, record), {
      alone,
    });
    call.services.wakeMail();
    return ok(user.id, { etag: etagOf(user.version) });
  },

  async removeUser(call) {
    const { caller, params } = call;
    await change(
      call.db,
      actorOf(call),
      async (tx, record) => {
        const user = await store.lockUser(tx, caller.siteId, params.userId);
        if (!user) throw notFound(`User ${params.userId}`);
        requireVersion(call.ifMatch, user.version, `User ${user.id}`);
        await requireAuthorityOver(tx, caller, user.id, 'Removing this user');
        await store.deleteMembership(tx, caller.siteId, user.id);
        if (!(await store.belongsElsewhere(tx, caller.siteId, user.id))) await endLinks(tx, user.id);
        await requireAdministrator(tx, caller.siteId);
        record({
          action: 'user.remove',
          subject: ['user', user.id],
          changes: { email: [user.email, null] },
          event: eventOf('deleted', shown(user)),
        });
      },
      { alone: true },
    );
    return ok(params.userId);
  },
};
