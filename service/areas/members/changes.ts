import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../contract/rules/people/capabilities.ts';
import { diffProperties, type Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import * as pairsStore from './group-members.store.ts';
import {
  adoptAccount,
  getUsers,
  getUsersBySite,
  touchUsers,
  updateAndTouchUsers,
  type MembershipFields,
  type StoredUser,
} from './users.store.ts';

/** Fields of the account, which all sites of the user share. */
const ACCOUNT_FIELDS = new Set([
  'email',
  'firstName',
  'lastName',
  'federationId',
  'isLocked',
  'secondFactorSetUp',
]);

/**
 * Records changes of users. A user who differs from `usersBefore` gets a new version, so that `modifiedSince` finds the
 * change, and an audit row with an event on each site where the change is visible. Users without a change are skipped.
 * Every change of users must end here or in `recordChangedUsers`. Returns the changed users as they are now on this site.
 */
export async function recordUserChanges(
  tx: Tx,
  actor: { siteId: number; userId: number | null },
  usersBefore: readonly StoredUser[],
  action: string,
  record: Recorder,
): Promise<StoredUser[]> {
  const ids = usersBefore.map((user) => user.id);
  const usersAfter = new Map((await getUsers(tx, actor.siteId, ids)).map((user) => [user.id, user]));
  const changes = usersBefore.map((before) => ({
    before,
    different: diffUsers(before, usersAfter.get(before.id)),
  }));
  const changed = changes.filter(({ different }) => Object.keys(different).length > 0);
  if (changed.length === 0) return [];
  const isAccountChanged = changed.some(
    ({ different }) => Object.keys(pickAccountFields(different)).length > 0,
  );
  return recordChangedUsers(
    tx,
    actor,
    changed.map(({ before }) => before),
    { action, isAccountChanged },
    record,
  );
}

/** Like `recordUserChanges`, for users who are known to differ, and whether their accounts do. */
export async function recordChangedUsers(
  tx: Tx,
  actor: { siteId: number; userId: number | null },
  usersBefore: readonly StoredUser[],
  { action, isAccountChanged }: { action: string; isAccountChanged: boolean },
  record: Recorder,
): Promise<StoredUser[]> {
  const ids = usersBefore.map((user) => user.id);
  const [siteIds, usersBySite] = await Promise.all([
    touchUsers(tx, actor, ids, isAccountChanged),
    getUsersBySite(tx, ids, isAccountChanged ? undefined : actor.siteId),
  ]);
  const usersHere = usersBySite.get(actor.siteId) ?? [];
  const usersAfter = new Map(usersHere.map((user) => [user.id, user]));
  const changes = new Map(
    usersBefore.map((before) => [before.id, diffUsers(before, usersAfter.get(before.id))]),
  );
  for (const siteId of siteIds) {
    for (const user of usersBySite.get(siteId) ?? []) {
      const different = changes.get(user.id) ?? {};
      record({
        siteId,
        action,
        subject: ['user', user.id],
        changes: siteId === actor.siteId ? different : pickAccountFields(different),
        event: buildUserEvent('updated', user),
      });
    }
  }
  return usersHere;
}

/**
 * Sets the same fields of memberships on this site for users who differ from them, and records it like `recordUserChanges`.
 * @param usersBefore as `lockUsers` returns them in this transaction: what they are afterwards follows from that
 */
export async function updateAndRecordMemberships(
  tx: Tx,
  actor: { siteId: number; userId: number | null },
  usersBefore: readonly StoredUser[],
  fields: MembershipFields,
  record: Recorder,
): Promise<void> {
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const touched = await updateAndTouchUsers(
    tx,
    actor,
    usersBefore.map(({ id }) => id),
    fields,
  );
  for (const before of usersBefore) {
    const row = touched.get(before.id);
    if (!row) throw new Error(`The locked user ${before.id} does not exist`);
    const values = Object.fromEntries(
      Object.keys(set).map((name) => [name, before[name as keyof StoredUser]]),
    );
    record({
      action: 'user.update',
      subject: ['user', before.id],
      changes: diffProperties(values, set),
      event: buildUserEvent('updated', {
        ...before,
        ...set,
        version: row.version,
        modifiedDate: row.modifiedAt.toISOString(),
        modifiedBy: actor.userId,
      }),
    });
  }
}

const diffUsers = (before: StoredUser, after: StoredUser | undefined): ReturnType<typeof diffProperties> =>
  after ? diffProperties(toAuditedUser(before), toAuditedUser(after)) : {};

const pickAccountFields = (changes: ReturnType<typeof diffProperties>) =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => ACCOUNT_FIELDS.has(name)));

/**
 * Adds a new member to groups and records both the membership and the group changes. The site becomes the home of an account that belonged
 * to no site.
 */
export async function recordNewMember(
  tx: Tx,
  siteId: number,
  member: { userId: number; groupIds: readonly number[] },
  action: string,
  record: Recorder,
): Promise<StoredUser> {
  const added = await pairsStore.addToGroups(
    tx,
    siteId,
    member.groupIds.map((groupId) => [member.userId, groupId]),
  );
  const [user] = await getUsers(tx, siteId, [member.userId]);
  if (!user) throw new Error('The added member does not exist');
  record({
    siteId,
    action,
    subject: ['user', user.id],
    changes: diffProperties(undefined, toAuditedUser(user)),
    event: buildUserEvent('created', user),
  });
  if (user.homeSiteId !== siteId && (await adoptAccount(tx, siteId, user.id)))
    record({
      siteId,
      action: 'user.home',
      subject: ['user', user.id],
      changes: { homeSiteId: [user.homeSiteId, siteId] },
    });
  await recordGroupMemberChanges(tx, siteId, { added }, record);
  return user;
}

/**
 * Records added and removed members of groups: a new entity tag, an audit row and an event per group. The effect on the
 * users themselves is recorded by `recordUserChanges`. Every change of group memberships must end here.
 */
export async function recordGroupMemberChanges(
  tx: Tx,
  siteId: number,
  {
    added = [],
    removed = [],
  }: { added?: readonly pairsStore.GroupMember[]; removed?: readonly pairsStore.GroupMember[] },
  record: Recorder,
): Promise<void> {
  const groupIds = [...new Set([...added, ...removed].map(([, groupId]) => groupId))].toSorted(
    (a, b) => a - b,
  );
  if (groupIds.length === 0) return;
  const entryIds = await pairsStore.touchGroups(tx, siteId, groupIds);
  for (const groupId of groupIds) {
    const [addedIds, removedIds] = [listUserIds(added, groupId), listUserIds(removed, groupId)];
    record({
      siteId,
      action: removedIds.length > 0 ? 'group.unassign' : 'group.assign',
      subject: ['group', groupId],
      changes: { members: [removedIds, addedIds] },
      event: buildGroupEvent(
        'updated',
        { id: groupId, entryId: entryIds.get(groupId) },
        {
          ...(addedIds.length > 0 && { added: addedIds }),
          ...(removedIds.length > 0 && { removed: removedIds }),
        },
      ),
    });
  }
}

const listUserIds = (pairs: readonly pairsStore.GroupMember[], groupId: number) =>
  pairs
    .filter(([, id]) => id === groupId)
    .map(([userId]) => userId)
    .toSorted((a, b) => a - b);

/** Creates the Administrators group of a site, or restores all its capabilities. Returns its id. */
export async function ensureAdministratorsGroup(tx: Tx, siteId: number, record: Recorder): Promise<number> {
  const before = await pairsStore.lockAdministratorsGroup(tx, siteId);
  if (before && capabilities.every(({ name }) => before.capabilities.includes(name))) return before.id;
  const { id, entryId, ...after } = await pairsStore.saveAdministratorsGroup(tx, siteId);
  record({
    siteId,
    action: before ? 'group.update' : 'group.create',
    subject: ['group', id],
    changes: before
      ? { capabilities: [before.capabilities, after.capabilities] }
      : diffProperties(undefined, after),
    event: buildGroupEvent(before ? 'updated' : 'created', { id, entryId }, { name: after.name }),
  });
  return id;
}

/** A user as returned by the contract, without internal fields. */
export function toUserInfo({
  version: _version,
  homeSiteId: _home,
  licenseTypeId: _license,
  ...user
}: StoredUser): UserInfoResponse {
  return user;
}

/** The audited fields of a user: everything except ids, version, dates and authors. */
export function toAuditedUser({
  id: _id,
  version: _version,
  createdDate: _createdDate,
  createdBy: _createdBy,
  modifiedDate: _modifiedDate,
  modifiedBy: _modifiedBy,
  ...user
}: StoredUser) {
  return user;
}

/** The event of a user change: the public fields and the license, never a secret. */
export const buildUserEvent = (kind: 'created' | 'updated' | 'deleted', user: StoredUser) =>
  ({
    topic: 'default-users',
    entityType: 'Users',
    kind,
    entity: { ...toUserInfo(user), licenseTypeId: user.licenseTypeId },
  }) as const;

/** The event of a group change; `UserGroupEntryID` is the entry id of the group record (spec 2.3). */
export const buildGroupEvent = (
  kind: 'created' | 'updated' | 'deleted',
  { id, entryId }: { id: number; entryId?: number | null | undefined },
  fields: object,
) =>
  ({
    topic: 'default-users',
    entityType: 'UserGroups',
    kind,
    entity: { id, UserGroupEntryID: entryId ?? null, ...fields },
  }) as const;
