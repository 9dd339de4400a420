import type {
  Capability,
  GroupInfoResponse,
  UserGroupEntityVm,
  UsersToUserGroupRequestVm,
} from '../../../contract/generated/types.gen.ts';
import { conflict, badRequest, notFound, type FieldError } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { loadEffectiveCapabilities } from '../../kernel/auth/callers.store.ts';
import { type Tx, withTransaction } from '../../kernel/db/database.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion, parsePage } from '../../kernel/http/parameters.ts';
import { formatNumber } from '../../kernel/numbers.ts';
import { getListedItems, requireUniqueUsers, startJob } from '../jobs/index.ts';
import {
  addToGroups,
  checkGrantableGroups,
  buildGroupEvent,
  lockUsers,
  recordGroupMemberChanges,
  removeFromGroups,
  requireAdministrator,
  requireCapabilities,
  recordUserChanges,
  type GroupMember,
  type StoredUser,
} from '../members/index.ts';
import type { StoredGroup } from './groups.store.ts';
import * as store from './groups.store.ts';
import { listRemovalItems, MAX_MEMBERS_AT_ONCE, removeGroup } from './remove-group.ts';

/** Maximum number of user and group pairs per request; keeps the transaction short. */
const MAX_PAIRS = 1000;
type Operations =
  | 'listGroups'
  | 'getGroup'
  | 'createGroup'
  | 'updateGroup'
  | 'deleteGroup'
  | 'assignGroups'
  | 'unassignGroups'
  | 'startMembershipChanges'
  | 'startGroupRemovals';

const toGroupInfo = ({ id, name, description, userCount }: StoredGroup): GroupInfoResponse => ({
  id,
  name,
  description,
  userCount,
});
const toGroupDetails = ({ version: _version, ...group }: StoredGroup): UserGroupEntityVm => group;

const groupNameTaken = (name: string) =>
  conflict(`A group named ${name} already exists on this site`, [
    { path: 'name', message: 'is the name of another group' },
  ]);

export const groupHandlers: Handlers<Operations> = {
  startMembershipChanges: async (call) =>
    startJob(call, {
      kind: 'groups.change',
      parameters: {},
      items: requireUniqueUsers('memberships', getListedItems(call.body, 'memberships')),
    }),

  async startGroupRemovals(call) {
    const { caller, body } = call;
    const items = await withTransaction(call.db, {}, async (tx) => {
      const errors = await checkGrantableGroups(tx, caller, body.groupIds, (index) => `groupIds.${index}`);
      if (errors.length > 0) throw badRequest(errors);
      return listRemovalItems(tx, caller, body.groupIds);
    });
    return startJob(call, { kind: 'groups.delete', parameters: {}, items });
  },

  async listGroups({ db, caller, query }) {
    return ok((await store.listGroups(db, caller.siteId, parsePage(query))).map(toGroupInfo));
  },

  async getGroup({ db, caller, params }) {
    const group = await store.getGroup(db, caller.siteId, params.groupId);
    if (!group) throw notFound(`Group ${params.groupId}`);
    return ok(toGroupDetails(group), { etag: formatEtag(group.version) });
  },

  async createGroup(call) {
    const { caller, body } = call;
    const group = store.normalizeGroup({
      name: parseName(body.name),
      description: body.description,
      capabilities: body.capabilities ?? [],
    });
    const groupId = await change(call.db, getActor(call), async (tx, record) => {
      await requireGrantable(tx, caller, group.capabilities);
      const ids = await store.insertGroup(tx, caller.siteId, group);
      if (!ids) throw groupNameTaken(group.name);
      const { id } = ids;
      record({
        action: 'group.create',
        subject: ['group', id, group.name],
        changes: diffProperties(undefined, group),
        event: buildGroupEvent('created', ids, { name: group.name }),
      });
      return id;
    });
    return ok(groupId);
  },

  async updateGroup(call) {
    const { body } = call;
    await change(call.db, getActor(call), (tx, record) => updateGroup(tx, call, record), {
      lockSite: body.capabilities !== undefined,
    });
    return ok(call.params.groupId);
  },

  async deleteGroup(call) {
    await change(call.db, getActor(call), (tx, record) => deleteGroup(tx, call, record), { lockSite: true });
    return ok(call.params.groupId);
  },

  async assignGroups(call) {
    await change(call.db, getActor(call), (tx, record) => changeMembers(tx, call, 'assign', record), {
      lockSite: true,
    });
    return ok(undefined);
  },

  async unassignGroups(call) {
    await change(call.db, getActor(call), (tx, record) => changeMembers(tx, call, 'unassign', record), {
      lockSite: true,
    });
    return ok(undefined);
  },
};

/** Trims a name. @throws ApiError 400 for an empty one */
function parseName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest([{ path: 'name', message: 'must not be empty' }]);
  return name;
}

/** @throws ApiError 403 if the caller does not hold all capabilities that an edit of a group grants or revokes (T05) */
async function requireGrantable(tx: Tx, caller: Caller, capabilities: readonly Capability[]): Promise<void> {
  requireCapabilities(
    await loadEffectiveCapabilities(tx, caller),
    capabilities,
    'Changing these capabilities',
  );
}

async function updateGroup(tx: Tx, call: Call<'updateGroup'>, record: Recorder): Promise<void> {
  const { caller, body } = call;
  const before = await store.getGroup(tx, caller.siteId, call.params.groupId, true);
  if (!before) throw notFound(`Group ${call.params.groupId}`);
  requireVersion(call.ifMatch, before.version, `group ${before.id}`);
  const group = store.normalizeGroup({
    name: body.name === undefined ? before.name : parseName(body.name),
    description: body.description === undefined ? before.description : body.description,
    capabilities: body.capabilities ?? before.capabilities,
  });
  const changes = diffProperties(store.normalizeGroup(before), group);
  if (Object.keys(changes).length === 0) return;
  if (changes['capabilities'])
    await requireGrantable(tx, caller, symmetricDifference(before.capabilities, group.capabilities));
  if (!(await store.updateGroup(tx, caller.siteId, before.id, group))) throw groupNameTaken(group.name);
  if (changes['capabilities']) await requireAdministrator(tx, caller.siteId);
  record({
    action: 'group.update',
    subject: ['group', before.id, group.name],
    changes,
    event: buildGroupEvent('updated', before, { name: group.name }),
  });
}

/** Elements that are in exactly one of the two lists. */
const symmetricDifference = (one: readonly Capability[], other: readonly Capability[]): Capability[] => [
  ...one.filter((each) => !other.includes(each)),
  ...other.filter((each) => !one.includes(each)),
];

async function deleteGroup(tx: Tx, call: Call<'deleteGroup'>, record: Recorder): Promise<void> {
  const { caller, params } = call;
  const group = await store.getGroup(tx, caller.siteId, params.groupId, true);
  if (!group) throw notFound(`Group ${params.groupId}`);
  requireVersion(call.ifMatch, group.version, `group ${group.id}`);
  await requireGrantable(tx, caller, group.capabilities);
  if (group.userCount > MAX_MEMBERS_AT_ONCE)
    throw conflict(
      `${group.name} has ${formatNumber(group.userCount)} members. A group with more than ` +
        `${formatNumber(MAX_MEMBERS_AT_ONCE)} is deleted by a job: POST /jobs/groupRemovals.`,
    );
  await removeGroup(tx, caller, group, record);
}

/** The distinct pairs of each item's users and groups (shapes 2). */
function expandPairs(items: readonly UsersToUserGroupRequestVm[]): GroupMember[] {
  const pairs = items.flatMap((item) =>
    item.userIds.flatMap((userId) => item.groupIds.map((groupId): GroupMember => [userId, groupId])),
  );
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

/**
 * Adds or removes all pairs or none. PUT adds and never replaces; DELETE removes exactly the listed pairs (spec 4.2).
 */
async function changeMembers(
  tx: Tx,
  call: Call<'assignGroups' | 'unassignGroups'>,
  operation: 'assign' | 'unassign',
  record: Recorder,
): Promise<void> {
  const { caller, body } = call;
  const count = body.reduce((sum, item) => sum + item.userIds.length * item.groupIds.length, 0);
  if (count > MAX_PAIRS)
    throw badRequest([
      { path: 'body', message: `must contain at most ${MAX_PAIRS} user and group pairs, not ${count}` },
    ]);
  const pairs = expandPairs(body);
  const users = await lockUsers(
    tx,
    caller.siteId,
    pairs.map(([userId]) => userId),
  );
  const errors = [...checkUsersExist(users, body), ...(await checkGroupsGrantable(tx, caller, body))];
  if (errors.length > 0) throw badRequest(errors);
  if (operation === 'assign') {
    const added = await addToGroups(tx, caller.siteId, pairs);
    await recordGroupMemberChanges(tx, caller.siteId, { added }, record);
  } else {
    const removed = await removeFromGroups(tx, caller.siteId, pairs);
    if (removed.length > 0) await requireAdministrator(tx, caller.siteId);
    await recordGroupMemberChanges(tx, caller.siteId, { removed }, record);
  }
  await recordUserChanges(tx, caller, users, `group.${operation}`, record);
}

function checkUsersExist(
  users: readonly StoredUser[],
  items: readonly UsersToUserGroupRequestVm[],
): FieldError[] {
  const knownIds = new Set(users.map((user) => user.id));
  return items.flatMap((item, itemIndex) =>
    item.userIds.flatMap((id, index) =>
      knownIds.has(id)
        ? []
        : [{ path: `${itemIndex}.userIds.${index}`, message: `user ${id} does not exist on this site` }],
    ),
  );
}

async function checkGroupsGrantable(
  tx: Tx,
  caller: Caller,
  items: readonly UsersToUserGroupRequestVm[],
): Promise<FieldError[]> {
  const requested = items.flatMap((item, itemIndex) =>
    item.groupIds.map((id, index) => ({ id, path: `${itemIndex}.groupIds.${index}` })),
  );
  return checkGrantableGroups(
    tx,
    caller,
    requested.map((place) => place.id),
    (index) => requested[index]?.path ?? '',
  );
}
