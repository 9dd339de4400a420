import { hashPassword } from '../../kernel/auth/password.ts';
import { endLinks } from '../../kernel/auth/store.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { invalid, notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { readModifiedSince } from '../../kernel/http/moments.ts';
import { pageOf } from '../../kernel/http/page.ts';
import {
  eventOf,
  getUsers,
  kept,
  listUsers,
  lockGroups,
  lockUser,
  pairsChanged,
  removeFromGroups,
  requireAdministrator,
  requireAuthorityOver,
  shown,
  checkGroups,
  memberAdded,
} from '../members/index.ts';
import { proxiesLeave } from '../proxies/index.ts';
import { getSite } from '../sites/index.ts';
import { explainAccess } from './explain.ts';
import { checkPerson, withoutEffect, addressTaken } from './rules.ts';
import * as store from './store.ts';
import { updateUser } from './update.ts';
import type { NewUserInfo } from '../../../contract/generated/types.gen.ts';
import { mailPasswordLink } from './password-mail.ts';

type Operations =
  | 'searchUsers'
  | 'createUser'
  | 'updateUser'
  | 'removeUser'
  | 'getUser'
  | 'getUsersByIds'
  | 'explainAccess';

export const userHandlers: Handlers<Operations> = {
  explainAccess: async (call) => ok(await explainAccess(call)),

  async searchUsers({ reads: db, caller, query }) {
    const filter = {
      modifiedSince:
        query.modifiedSince === undefined ? undefined : readModifiedSince(query.modifiedSince, Date.now()),
      emailKey: query.email === undefined ? undefined : normaliseEmail(query.email).key,
      groupId: query.userGroupId,
    };
    const users = await listUsers(db, caller.siteId, filter, pageOf(query));
    return ok(users.map(shown));
  },

  async getUsersByIds({ reads: db, caller, body }) {
    return ok((await getUsers(db, caller.siteId, body)).map(shown));
  },

  async getUser({ db, caller, params }) {
    const [user] = await getUsers(db, caller.siteId, [params.userId]);
    if (!user) throw notFound(`User ${params.userId}`);
    return ok(shown(user), { etag: etagOf(user.version) });
  },

  async createUser(call) {
    const site = await getSite(call.db, call.caller.siteId);
    const info = withoutEffect(call.body, site.identityMode);
    const faults = checkPerson(info);
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
    await change(call.db, actorOf(call), (tx, record) => removeUser(tx, call, record), { alone: true });
    return ok(call.params.userId);
  },
};

async function removeUser(tx: Tx, call: Call<'removeUser'>, record: Recorder): Promise<void> {
  const { siteId } = call.caller;
  const { userId } = call.params;
  await store.lockAccount(tx, userId);
  const user = await lockUser(tx, siteId, userId);
  if (!user) throw notFound(`User ${userId}`);
  requireVersion(call.ifMatch, user.version, `User ${userId}`);
  await requireAuthorityOver(tx, call.caller, userId, 'Removing this user');
  // As everybody who puts people into groups does, before the blocks that count them: nobody waits crosswise.
  await lockGroups(tx, siteId, user.groups);
  const removed = await removeFromGroups(
    tx,
    siteId,
    user.groups.map((groupId) => [userId, groupId]),
  );
  await proxiesLeave(tx, siteId, userId, record);
  await store.deleteMembership(tx, siteId, userId);
  await requireAdministrator(tx, siteId);
  if (!(await store.belongsElsewhere(tx, siteId, userId))) await endLinks(tx, userId);
  record({
    action: 'user.remove',
    subject: ['user', userId],
    changes: differences(kept(user), undefined),
    event: eventOf('deleted', user),
  });
  await pairsChanged(tx, siteId, { removed }, record);
  const home = await store.moveHome(tx, siteId, userId);
  if (home === undefined) return;
  record({
    siteId: home,
    action: 'user.home',
    subject: ['user', userId],
    changes: { homeSiteId: [siteId, home] },
  });
}

/**
 * Creates account and membership, and leaves the mail with the link in the outbox where nobody gave a password
 * (spec 4.2 rule 1).
 * @throws ApiError 400 unknown groups, 403 groups beyond the caller, 409 a known address
 */
async function createUser(
  tx: Tx,
  call: Call<'createUser'>,
  made: {
    info: NewUserInfo;
    passwordHash: string | null;
    site: { siteId: number; name: string; identityMode: string };
  },
  record: Recorder,
): Promise<number> {
  const { info, passwordHash, site } = made;
  const { caller } = call;
  const { email, key } = normaliseEmail(info.email);
  const firstName = info.firstName.trim();
  const groups = [...new Set(info.groups)];
  const faults = await checkGroups(tx, caller, groups, (index) => `groups.${index}`);
  if (faults.length > 0) throw invalid(faults);
  const userId = await store.insertAccount(tx, caller.siteId, {
    email,
    emailKey: key,
    firstName,
    lastName: info.lastName.trim(),
    passwordHash,
    federationId: info.federationId ?? null,
  });
  if (userId === undefined) throw addressTaken(email, await store.findOwner(tx, caller.siteId, key));
  await store.insertMembership(tx, caller.siteId, userId, caller.userId, info);
  await memberAdded(tx, caller.siteId, { userId, groupIds: groups }, 'user.create', record);
  if (passwordHash === null && site.identityMode === 'password')
    await mailPasswordLink(tx, call.services.publicUrl, { userId, email, firstName, site });
  return userId;
}
