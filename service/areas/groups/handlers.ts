import type {
  Capability,
  GroupInfoResponse,
  UserGroupEntityVm,
  UsersToUserGroupRequestVm,
} from '../../../contract/generated/types.gen.ts';
import { capabilities as allCapabilities } from '../../../contract/rules/capabilities.ts';
import { differences } from '../../kernel/audit/differences.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { capabilitiesHeld } from '../../kernel/auth/store.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { conflict, invalid, notFound, type FieldError } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import {
  addToGroups,
  checkGrant,
  groupEventOf,
  lockUsers,
  pairsChanged,
  removeFromGroups,
  requireAdministrator,
  requireHeld,
  usersChanged,
  type Pair,
  type StoredUser,
} from '../members/index.ts';
import * as store from './store.ts';
import type { StoredGroup } from './store.ts';

/** One request changes at most this many pairings, so that it stays one short transaction. */
const MAX_PAIRS = 1000;
type Operations =
  | 'listGroups'
  | 'getGroup'
  | 'createGroup'
  | 'updateGroup'
  | 'deleteGroup'
  | 'assignGroups'
  | 'unassignGroups';

const listed = ({ id, name, description, userCount }: StoredGroup): GroupInfoResponse => ({
  id,
  name,
  description,
  userCount,
});
const shown = ({ version: _version, ...group }: StoredGroup): UserGroupEntityVm => group;

/** What an audit row compares of a group; its capabilities are a set, told in the order of the contract. */
const kept = ({ name, description, capabilities }: store.GroupFields): store.GroupFields => ({
  name,
  description: description ?? null,
  capabilities: inOrder(capabilities),
});

const inOrder = (wanted: readonly Capability[]): Capability[] =>
  allCapabilities.map(({ name }) => name).filter((name) => wanted.includes(name));

const nameTaken = (name: string) =>
  conflict(`A group named ${name} exists on this site`, [
    { path: 'name', message: 'is the name of another group' },
  ]);

export const groupHandlers: Handlers<Operations> = {
  async listGroups({ db, caller, query }) {
    return ok((await store.listGroups(db, caller.siteId, pageOf(query))).map(listed));
  },

  async getGroup({ db, caller, params }) {
    const group = await store.getGroup(db, caller.siteId, params.groupId);
    if (!group) throw notFound(`Group ${params.groupId}`);
    return ok(shown(group), { etag: etagOf(group.version) });
  },

  async createGroup(call) {
    const { caller, body } = call;
    const group = kept({
      name: trimmedName(body.name),
      description: body.description,
      capabilities: body.capabilities ?? [],
    });
    const groupId = await change(call.db, actorOf(call), async (tx, record) => {
      await requireGrantable(tx, caller, group.capabilities);
      const id = await store.insertGroup(tx, caller.siteId, group);
      if (id === undefined) throw nameTaken(group.name);
      record({
        action: 'group.create',
        subject: ['group', id],
        changes: differences(undefined, group),
        event: groupEventOf('created', id, { name: group.name }),
      });
      return id;
    });
    return ok(groupId);
  },

  async updateGroup(call) {
    const { body } = call;
    await change(call.db, actorOf(call), (tx, record) => update(tx, call, record), {
      alone: body.capabilities !== undefined,
    });
    return ok(call.params.groupId);
  },

  async deleteGroup(call) {
    await change(call.db, actorOf(call), (tx, record) => remove(tx, call, record), { alone: true });
    return ok(call.params.groupId);
  },

  async assignGroups(call) {
    await change(call.db, actorOf(call), (tx, record) => pairUp(tx, call, 'assign', record), {
      alone: true,
    });
    return ok(undefined);
  },

  async unassignGroups(call) {
    await change(call.db, actorOf(call), (tx, record) => pairUp(tx, call, 'unassign', record), {
      alone: true,
    });
    return ok(undefined);
  },
};

/** A name is kept without the spaces around it; one of spaces alone is none. */
function trimmedName(text: string): string {
  const name = text.trim();
  if (name === '') throw invalid([{ path: 'name', message: 'must not be empty' }]);
  return name;
}

/** Capabilities that the caller gives or takes by editing a group are ones that the caller holds (T05). */
async function requireGrantable(tx: Tx, caller: Caller, capabilities: readonly Capability[]): Promise<void> {
  requireHeld(await capabilitiesHeld(tx, caller), capabilities, 'Changing these capabilities');
}

async function update(tx: Tx, call: Call<'updateGroup'>, record: Recorder): Promise<void> {
  const { caller, body } = call;
  const before = await store.getGroup(tx, caller.siteId, call.params.groupId, true);
  if (!before) throw notFound(`Group ${call.params.groupId}`);
  requireVersion(call.ifMatch, before.version, `Group ${before.id}`);
  const group = kept({
    name: body.name === undefined ? before.name : trimmedName(body.name),
    description: body.description === undefined ? before.description : body.description,
    capabilities: body.capabilities ?? before.capabilities,
  });
  const changes = differences(kept(before), group);
  if (Object.keys(changes).length === 0) return;
  if (changes['capabilities'])
    await requireGrantable(tx, caller, oneSided(before.capabilities, group.capabilities));
  if (!(await store.updateGroup(tx, caller.siteId, before.id, group))) throw nameTaken(group.name);
  if (changes['capabilities']) await requireAdministrator(tx, caller.siteId);
  record({
    action: 'group.update',
    subject: ['group', before.id],
    changes,
    event: groupEventOf('updated', before.id, { name: group.name }),
  });
}

/** What stands in one of the lists alone. */
const oneSided = (one: readonly Capability[], other: readonly Capability[]): Capability[] => [
  ...one.filter((each) => !other.includes(each)),
  ...other.filter((each) => !one.includes(each)),
];

async function remove(tx: Tx, call: Call<'deleteGroup'>, record: Recorder): Promise<void> {
  const { caller, params } = call;
  const group = await store.getGroup(tx, caller.siteId, params.groupId, true);
  if (!group) throw notFound(`Group ${params.groupId}`);
  requireVersion(call.ifMatch, group.version, `Group ${group.id}`);
  await requireGrantable(tx, caller, group.capabilities);
  const members = await lockUsers(tx, caller.siteId, await store.memberIds(tx, caller.siteId, group.id));
  await store.deleteGroup(tx, caller.siteId, group.id);
  await requireAdministrator(tx, caller.siteId);
  const removed = members.map((user) => user.id);
  record({
    action: 'group.delete',
    subject: ['group', group.id],
    changes: { ...differences(kept(group), undefined), members: [removed, []] },
    event: groupEventOf('deleted', group.id, { name: group.name, removed }),
  });
  await usersChanged(tx, caller, members, 'group.delete', record);
}

/** Every pairing of the two lists of each item (shapes 2), each once. */
function pairsOf(items: readonly UsersToUserGroupRequestVm[]): Pair[] {
  const pairs = items.flatMap((item) =>
    item.userIds.flatMap((userId) => item.groupIds.map((groupId): Pair => [userId, groupId])),
  );
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

/** Adds or removes pairings, all or none: PUT appends and never replaces, DELETE removes what is listed (spec 4.2). */
async function pairUp(
  tx: Tx,
  call: Call<'assignGroups' | 'unassignGroups'>,
  deed: 'assign' | 'unassign',
  record: Recorder,
): Promise<void> {
  const { caller, body } = call;
  const count = body.reduce((sum, item) => sum + item.userIds.length * item.groupIds.length, 0);
  if (count > MAX_PAIRS)
    throw invalid([
      { path: 'body', message: `must pair at most ${MAX_PAIRS} users and groups, these are ${count}` },
    ]);
  const pairs = pairsOf(body);
  const users = await lockUsers(
    tx,
    caller.siteId,
    pairs.map(([userId]) => userId),
  );
  const faults = [...unknownUsers(users, body), ...(await unknownGroups(tx, caller, body))];
  if (faults.length > 0) throw invalid(faults);
  if (deed === 'assign') {
    const added = await addToGroups(tx, caller.siteId, pairs);
    await pairsChanged(tx, caller.siteId, { added }, record);
  } else {
    const removed = await removeFromGroups(tx, caller.siteId, pairs);
    if (removed.length > 0) await requireAdministrator(tx, caller.siteId);
    await pairsChanged(tx, caller.siteId, { removed }, record);
  }
  await usersChanged(tx, caller, users, `group.${deed}`, record);
}

function unknownUsers(
  users: readonly StoredUser[],
  items: readonly UsersToUserGroupRequestVm[],
): FieldError[] {
  const known = new Set(users.map((user) => user.id));
  return items.flatMap((item, at) =>
    item.userIds.flatMap((id, index) =>
      known.has(id)
        ? []
        : [{ path: `${at}.userIds.${index}`, message: `user ${id} does not exist on this site` }],
    ),
  );
}

async function unknownGroups(
  tx: Tx,
  caller: Caller,
  items: readonly UsersToUserGroupRequestVm[],
): Promise<FieldError[]> {
  const places = items.flatMap((item, at) =>
    item.groupIds.map((id, index) => ({ id, path: `${at}.groupIds.${index}` })),
  );
  return checkGrant(
    tx,
    caller,
    places.map((place) => place.id),
    (index) => places[index]?.path ?? '',
  );
}
