import type { NewUserInfo, UserInfo, UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { createLink } from '../../kernel/auth/links.store.ts';
import { hashPassword } from '../../kernel/auth/password.ts';
import { capabilitiesOf, endAccess } from '../../kernel/auth/store.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { conflict, invalid, notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { setPasswordMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import {
  addToGroups,
  checkGrant,
  getSite,
  isApprovedAddress,
  removeFromGroups,
  requireAdministrator,
  requireHeld,
  touchUsers,
} from '../sites/index.ts';
import {
  alreadyHere,
  checkNames,
  checkSwitches,
  knownElsewhere,
  readModifiedSince,
  withoutEffect,
} from './rules.ts';
import * as store from './store.ts';

/** The license of a user whom nobody gave another (spec 2.2: 1 is Standard). */
const FIRST_LICENSE = 1;

type Operations = 'searchUsers' | 'createUser' | 'updateUser' | 'removeUser' | 'getUser' | 'getUsersByIds';

/** A user as the contract shows it: without what only the service keeps. */
function shown({ version: _version, homeSiteId: _home, ...user }: store.StoredUser): UserInfoResponse {
  return user;
}

/** What an event and an audit row say of a user: never a secret, always the fields an integrator asks for. */
const eventOf = (kind: 'created' | 'updated' | 'deleted', user: UserInfoResponse) =>
  ({ topic: 'default-users', entityType: 'Users', kind, entity: { ...user } }) as const;

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
      create(tx, call, { info, passwordHash, site }, record),
    );
    call.services.wakeMail();
    return ok(userId);
  },

  async updateUser(call) {
    const serializable =
      call.body.isActive === false ||
      call.body.groups !== undefined ||
      call.body.ipRestrictionsEnabled === true;
    const user = await change(call.db, actorOf(call), (tx, record) => update(tx, call, record), {
      serializable,
    });
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
        await requireAuthorityOver(tx, caller, user.id, 'Removing this user');
        await store.deleteMembership(tx, caller.siteId, user.id);
        await requireAdministrator(tx, caller.siteId);
        record({
          action: 'user.remove',
          subject: ['user', user.id],
          changes: { email: [user.email, null] },
          event: eventOf('deleted', shown(user)),
        });
      },
      { serializable: true },
    );
    return ok(params.userId);
  },
};

async function create(
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
  const groups = [...new Set(info.groups)];
  const faults = await checkGroups(tx, caller, groups);
  if (faults.length > 0) throw invalid(faults);
  const userId = await store.insertAccount(tx, caller.siteId, {
    email,
    emailKey: key,
    firstName: info.firstName.trim(),
    lastName: info.lastName.trim(),
    passwordHash,
    federationId: info.federationId ?? null,
  });
  if (userId === undefined) {
    const member = await store.findMember(tx, caller.siteId, key);
    throw member === undefined ? knownElsewhere(email) : alreadyHere(email, member);
  }
  await store.insertMembership(tx, caller.siteId, userId, caller.userId, FIRST_LICENSE, info);
  await addToGroups(
    tx,
    caller.siteId,
    groups.map((groupId) => [userId, groupId]),
  );
  if (passwordHash === null && site.identityMode === 'password')
    await mailPasswordLink(tx, call, { userId, email, firstName: info.firstName.trim(), site });
  const [user] = await store.getUsers(tx, caller.siteId, [userId]);
  if (!user) throw new Error('A created user is there');
  const { password: _password, ...told } = info;
  record({
    action: 'user.create',
    subject: ['user', userId],
    changes: told,
    event: eventOf('created', shown(user)),
  });
  return userId;
}

async function mailPasswordLink(
  tx: Tx,
  call: Call<'createUser'>,
  to: { userId: number; email: string; firstName: string; site: { siteId: number; name: string } },
): Promise<void> {
  const token = await createLink(tx, { purpose: 'set-password', siteId: to.site.siteId, userId: to.userId });
  const mail = setPasswordMail({
    firstName: to.firstName,
    siteName: to.site.name,
    link: `${call.services.publicUrl}/link#${token}`,
  });
  await queueMail(tx, { siteId: to.site.siteId, to: to.email, ...mail });
}

/** Faults of a list of groups; giving any asks for Manage Groups besides Manage Users (contract, createUser). */
async function checkGroups(tx: Tx, caller: Caller, groups: readonly number[]) {
  if (groups.length === 0) return [];
  const held = await capabilitiesOf(tx, caller.siteId, caller.userId);
  if (!held.has('Manage Groups')) requireHeld(held, ['Manage Groups'], 'Giving groups');
  return checkGrant(tx, caller, groups, (index) => `groups.${index}`);
}

/** Nobody changes how somebody signs in, or shuts out, who may do more than they may. */
async function requireAuthorityOver(tx: Tx, caller: Caller, userId: number, deed: string): Promise<void> {
  if (userId === caller.userId) return;
  requireHeld(
    await capabilitiesOf(tx, caller.siteId, caller.userId),
    await capabilitiesOf(tx, caller.siteId, userId),
    deed,
  );
}

async function update(
  tx: Tx,
  call: Call<'updateUser'>,
  record: Recorder,
): Promise<{ id: number; version: number }> {
  const { caller, body } = call;
  const before = await store.lockUser(tx, caller.siteId, body.id);
  if (!before) throw notFound(`User ${body.id}`);
  requireVersion(call.ifMatch, before.version, `User ${body.id}`);
  const site = await getSite(tx, caller.siteId);
  const info = wanted(withoutEffect(body, site.identityMode), before);
  const faults = [...checkNames(info), ...checkSwitches(before, body)];
  if (info.groups) faults.push(...(await checkGroupChange(tx, caller, before, info.groups)));
  if (
    info.ipRestrictionsEnabled &&
    body.id === caller.userId &&
    !(await isApprovedAddress(tx, caller.siteId, call.origin.ip))
  ) {
    faults.push({
      path: 'ipRestrictionsEnabled',
      message: `would lock you out: ${call.origin.ip} is not an approved address of this site`,
    });
  }
  if (faults.length > 0) throw invalid(faults);
  if (Object.values(info).every((value) => value === undefined)) return before;

  await writeAccount(tx, caller, before, info);
  await store.updateMembership(tx, caller.siteId, before.id, info);
  if (info.groups) await setGroups(tx, caller.siteId, before, info.groups);
  if (info.isActive === false) await endAccess(tx, caller.siteId, before.id);
  await requireAdministratorAfter(tx, caller.siteId, info);
  await touchUsers(tx, caller.siteId, [before.id], caller.userId, accountChanged(info));
  const [after] = await store.getUsers(tx, caller.siteId, [before.id]);
  if (!after) throw new Error('A locked user is there');
  record({
    action: 'user.update',
    subject: ['user', before.id],
    changes: differences(before, after),
    event: eventOf('updated', shown(after)),
  });
  return after;
}

/** The fields of the request that differ from what is stored, trimmed; the others undefined: nothing to do for them. */
function wanted(info: UserInfo, before: store.StoredUser): Omit<UserInfo, 'id'> {
  const differing = <K extends Exclude<keyof UserInfo, 'id'>>(
    key: K,
    value: UserInfo[K],
  ): UserInfo[K] | undefined =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(before[key]) ? value : undefined;
  return {
    email: differing('email', info.email === undefined ? undefined : normaliseEmail(info.email).email),
    firstName: differing('firstName', info.firstName?.trim()),
    lastName: differing('lastName', info.lastName?.trim()),
    federationId: differing('federationId', info.federationId),
    isActive: differing('isActive', info.isActive),
    groups: differing('groups', info.groups && [...new Set(info.groups)].toSorted((a, b) => a - b)),
    twoFactorEnabled: differing('twoFactorEnabled', info.twoFactorEnabled),
    ipRestrictionsEnabled: differing('ipRestrictionsEnabled', info.ipRestrictionsEnabled),
  };
}

const accountChanged = (info: Omit<UserInfo, 'id'>): boolean =>
  [info.email, info.firstName, info.lastName, info.federationId].some((value) => value !== undefined);

async function writeAccount(
  tx: Tx,
  caller: Caller,
  before: store.StoredUser,
  info: Omit<UserInfo, 'id'>,
): Promise<void> {
  if (info.email !== undefined || info.federationId !== undefined || info.isActive !== undefined) {
    await requireAuthorityOver(tx, caller, before.id, 'Changing how this user signs in');
  }
  if (!accountChanged(info)) return;
  // One account serves every site of its owner: only the site it began on may change it.
  if (before.homeSiteId !== caller.siteId) {
    throw conflict(
      'Name, e-mail and federation id of this user belong to the site that created the account and can be changed only there',
    );
  }
  const email = info.email === undefined ? undefined : normaliseEmail(info.email);
  const stored = await store.updateAccount(tx, before.id, {
    ...info,
    email: email?.email,
    emailKey: email?.key,
  });
  if (!stored) throw knownElsewhere(info.email ?? '');
}

async function checkGroupChange(tx: Tx, caller: Caller, before: store.StoredUser, groups: readonly number[]) {
  const changed = [
    ...groups.filter((id) => !before.groups.includes(id)),
    ...before.groups.filter((id) => !groups.includes(id)),
  ];
  const held = await capabilitiesOf(tx, caller.siteId, caller.userId);
  if (!held.has('Manage Groups')) requireHeld(held, ['Manage Groups'], 'Changing groups');
  return checkGrant(
    tx,
    caller,
    changed,
    (index) => `groups.${Math.max(0, groups.indexOf(changed[index] ?? -1))}`,
  );
}

async function setGroups(
  tx: Tx,
  siteId: number,
  before: store.StoredUser,
  groups: readonly number[],
): Promise<void> {
  await removeFromGroups(
    tx,
    siteId,
    before.groups.filter((id) => !groups.includes(id)).map((id) => [before.id, id]),
  );
  await addToGroups(
    tx,
    siteId,
    groups.filter((id) => !before.groups.includes(id)).map((id) => [before.id, id]),
  );
}

async function requireAdministratorAfter(tx: Tx, siteId: number, info: Omit<UserInfo, 'id'>): Promise<void> {
  if (info.isActive === false || info.groups || info.ipRestrictionsEnabled)
    await requireAdministrator(tx, siteId);
}

/** Field → [before, after] of what differs, for the audit row. */
function differences(before: store.StoredUser, after: store.StoredUser): Record<string, unknown> {
  const skip = new Set(['version', 'modifiedDate', 'modifiedBy']);
  return Object.fromEntries(
    (Object.keys(after) as (keyof store.StoredUser)[])
      .filter((key) => !skip.has(key) && JSON.stringify(before[key]) !== JSON.stringify(after[key]))
      .map((key) => [key, [before[key], after[key]]]),
  );
}
