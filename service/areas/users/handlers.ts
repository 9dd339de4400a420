import { badRequest, conflict, notFound } from '../../kernel/api-error.ts';
import { getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import { hashPassword } from '../../kernel/auth/passwords.ts';
import { consumePasswordMailLimit } from '../../kernel/auth/throttle.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion, parseModifiedSince, parsePage } from '../../kernel/http/parameters.ts';
import { getListedItems, startJob, toUserItems } from '../jobs/index.ts';
import {
  getUsers,
  listUsers,
  lockAccounts,
  lockUser,
  requireAdministrator,
  requireAuthorityOver,
  toUserInfo,
} from '../members/index.ts';
import { getSite, parseTimeZone } from '../sites/index.ts';
import { mailPasswordLink } from './accounts.ts';
import { createUser, requireValidPerson } from './create.ts';
import { explainAccess } from './explain-access.ts';
import { removeUser } from './remove.ts';
import { dropIneffectiveFields } from './rules.ts';
import { updateOwnProfile, updateUser } from './update.ts';

type Operations =
  | 'searchUsers'
  | 'createUser'
  | 'updateUser'
  | 'updateOwnProfile'
  | 'removeUser'
  | 'getUser'
  | 'getUsersByIds'
  | 'explainAccess'
  | 'sendPasswordLink'
  | 'startUserUpdates'
  | 'startUserRemovals'
  | 'startUserImport';

export const userHandlers: Handlers<Operations> = {
  explainAccess: async (call) => ok(await explainAccess(call)),

  async sendPasswordLink(call) {
    const { siteId } = call.caller;
    const { userId } = call.params;
    const site = await getSite(call.db, siteId);
    if (site.identityMode === 'identity-manager')
      throw conflict('Passwords have no effect: the identity manager of the site signs users in.');
    await change(call.db, getActor(call), async (tx, record) => {
      const user = await lockUser(tx, siteId, userId);
      if (!user) throw notFound(`User ${userId}`);
      await requireAuthorityOver(tx, call.caller, userId, 'Sending this user a link to set a password');
      await consumePasswordMailLimit(tx, userId);
      await mailPasswordLink(tx, call.services.publicUrl, { ...user, userId, site });
      record({ action: 'user.password-link', subject: ['user', userId], changes: {} });
    });
    return noContent;
  },

  async startUserUpdates(call) {
    const { isActive, twoFactorEnabled, ipRestrictionsEnabled } = call.body;
    const timeZone = call.body.timeZone && parseTimeZone(call.body.timeZone);
    const parameters = { isActive, twoFactorEnabled, ipRestrictionsEnabled, timeZone };
    if (Object.values(parameters).every((value) => value === undefined))
      throw badRequest([
        { path: 'isActive', message: 'or twoFactorEnabled, ipRestrictionsEnabled or timeZone is required' },
      ]);
    const userIds = getListedItems(call.body, 'userIds');
    return startJob(call, { kind: 'users.update', parameters, items: userIds && toUserItems(userIds) });
  },

  async startUserRemovals(call) {
    const userIds = getListedItems(call.body, 'userIds');
    return startJob(call, { kind: 'users.remove', parameters: {}, items: userIds && toUserItems(userIds) });
  },

  async startUserImport(call) {
    const { fileName, sheet, skipsInvalidRows, changesSignIn } = call.body;
    return startJob(call, {
      kind: 'users.import',
      parameters: { fileName, sheet, skipsInvalidRows, changesSignIn },
      items: getListedItems(call.body, 'rows'),
    });
  },

  async searchUsers({ readDb: db, caller, query }) {
    const filter = {
      modifiedSince:
        query.modifiedSince === undefined ? undefined : parseModifiedSince(query.modifiedSince, Date.now()),
      emailKey: query.email === undefined ? undefined : normalizeEmail(query.email).key,
      groupId: query.userGroupId,
    };
    const users = await listUsers(db, caller.siteId, filter, parsePage(query));
    return ok(users.map(toUserInfo));
  },

  async getUsersByIds({ readDb: db, caller, body }) {
    return ok((await getUsers(db, caller.siteId, body)).map(toUserInfo));
  },

  async getUser({ db, caller, params }) {
    const [user] = await getUsers(db, caller.siteId, [params.userId]);
    if (!user) throw notFound(`User ${params.userId}`);
    return ok(toUserInfo(user), { etag: formatEtag(user.version) });
  },

  async createUser(call) {
    const site = await getSite(call.db, call.caller.siteId);
    const info = dropIneffectiveFields(call.body, site.identityMode);
    requireValidPerson(info);
    // Hashing is CPU-intensive, so it is done before the transaction.
    const passwordHash = info.password === undefined ? null : await hashPassword(info.password);
    const context = { caller: call.caller, publicUrl: call.services.publicUrl };
    const { id } = await change(call.db, getActor(call), (tx, record) =>
      createUser(tx, context, { info, passwordHash, site }, record),
    );
    return ok(id);
  },

  async updateUser(call) {
    // These changes can remove the last administrator or change group memberships (see `change`).
    const needsSiteLock =
      call.body.isActive === false ||
      call.body.groups !== undefined ||
      call.body.ipRestrictionsEnabled === true;
    const user = await change(call.db, getActor(call), (tx, record) => updateUser(tx, call, record), {
      lockSite: needsSiteLock,
    });
    return ok(user.id, { etag: formatEtag(user.version) });
  },

  async updateOwnProfile(call) {
    await change(call.db, getActor(call), (tx, record) => updateOwnProfile(tx, call, record));
    return noContent;
  },

  async removeUser(call) {
    await change(call.db, getActor(call), (tx, record) => removeRequestedUser(tx, call, record), {
      lockSite: true,
    });
    return ok(call.params.userId);
  },
};

async function removeRequestedUser(tx: Tx, call: Call<'removeUser'>, record: Recorder): Promise<void> {
  const { siteId } = call.caller;
  const { userId } = call.params;
  await lockAccounts(tx, [userId]);
  const user = await lockUser(tx, siteId, userId);
  if (!user) throw notFound(`User ${userId}`);
  requireVersion(call.ifMatch, user.version, `user ${userId}`);
  await requireAuthorityOver(tx, call.caller, userId, 'Removing this user');
  await removeUser(tx, siteId, user, record);
  await requireAdministrator(tx, siteId);
}
