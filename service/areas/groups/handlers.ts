import type {
  Capability,
  GroupInfoResponse,
  UserGroupEntityVm,
  UsersToUserGroupRequestVm,
} from '../../../contract/generated/types.gen.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { capabilitiesOf } from '../../kernel/auth/store.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { conflict, invalid, notFound, type FieldError } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import {
  addToGroups,
  checkGrant,
  removeFromGroups,
  requireAdministrator,
  requireHeld,
  touchUsers,
} from '../sites/index.ts';
import * as store from './store.ts';

/** One request changes at most this many pairings, so that it stays one short transaction. */
const MAX_PAIRS = 1000;

type Pair = readonly [userId: number, groupId: number];
type Operations =
  | 'listGroups'
  | 'getGroup'
  | 'createGroup'
  | 'updateGroup'
  | 'deleteGroup'
  | 'assignGroups'
  | 'unassignGroups';

const listed = ({ id, name, description, userCount }: store.StoredGroup): GroupInfoResponse => ({
  id,
  name,
  description,
  userCount,
});
const shown = ({ version: _version, ...group }: store.StoredGroup): UserGroupEntityVm => group;

const eventOf = (kind: 'created' | 'updated' | 'deleted', groupId: number, more: object) =>
  ({ topic: 'default-users', entityType: 'UserGroups', kind, entity: { id: groupId, ...more } }) as const;

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
    const name = trimmedName(body.name);
    const groupId = await change(call.db, actorOf(call), async (tx, record) => {
      await requireGrantable(tx, caller, body.capabilities ?? []);
      const id = await store.insertGroup(tx, caller.siteId, { ...body, name });
      if (id === undefined) throw nameTaken(name);
      record({
        action: 'group.create',
        subject: ['group', id],
        changes: { ...body, name },
        event: eventOf('created', id, { name }),
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
    const { caller, params } = call;
    await change(
      call.db,
      actorOf(call),
      async (tx, record) => {
        const group = await store.getGroup(tx, caller.siteId, params.groupId, true);
        if (!group) throw notFound(`Group ${params.groupId}`);
        requireVersion(call.ifMatch, group.version, `Group ${group.id}`);
        await requireGrantable(tx, caller, group.capabilities);
        const members = await store.memberIds(tx, caller.siteId, group.id);
        await store.deleteGroup(tx, caller.siteId, group.id);
        await requireAdministrator(tx, caller.siteId);
        await touchUsers(tx, caller.siteId, members, caller.userId);
        record({
          action: 'group.delete',
          subject: ['group', group.id],
          changes: { name: [group.name, null], members },
          event: eventOf('deleted', group.id, { name: group.name }),
        });
      },
      { alone: true },
    );
    return ok(params.groupId);
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
  requireHeld(
    await capabilitiesOf(tx, caller.siteId, caller.userId),
    capabilities,
    'Changing these capabilities',
  );
}

async function update(tx: Tx, call: Call<'updateGroup'>, record: Recorder): Promise<void> {
  const { caller, body } = call;
  const before = await store.getGroup(tx, caller.siteId, call.params.groupId, true);
  if (!before) throw notFound(`Group ${call.params.groupId}`);
  requireVersion(call.ifMatch, before.version, `Group ${before.id}`);
  const { capabilities } = body;
  if (capabilities) {
    const changed = [
      ...capabilities.filter((one) => !before.capabilities.includes(one)),
      ...before.capabilities.filter((one) => !capabilities.includes(one)),
    ];
    await requireGrantable(tx, caller, changed);
  }
  const name = body.name === undefined ? undefined : trimmedName(body.name);
  if (!(await store.updateGroup(tx, caller.siteId, before.id, { ...body, name })))
    throw nameTaken(name ?? before.name);
  if (capabilities) await requireAdministrator(tx, caller.siteId);
  record({
    action: 'group.update',
    subject: ['group', before.id],
    changes: { ...body },
    event: eventOf('updated', before.id, { name: name ?? before.name }),
  });
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
  const faults = [
    ...(await unknownUsers(tx, caller.siteId, body)),
    ...(await unknownGroups(tx, caller, body)),
  ];
  if (faults.length > 0) throw invalid(faults);
  const changed =
    deed === 'assign'
      ? await addToGroups(tx, caller.siteId, pairs)
      : await removeFromGroups(tx, caller.siteId, pairs);
  if (changed === 0) return;
  if (deed === 'unassign') await requireAdministrator(tx, caller.siteId);
  await touchUsers(tx, caller.siteId, [...new Set(pairs.map(([userId]) => userId))], caller.userId);
  for (const groupId of new Set(pairs.map(([, id]) => id))) {
    const userIds = pairs.filter(([, id]) => id === groupId).map(([userId]) => userId);
    record({
      action: `group.${deed}`,
      subject: ['group', groupId],
      changes: { userIds },
      event: eventOf('updated', groupId, { [deed === 'assign' ? 'added' : 'removed']: userIds }),
    });
  }
}

async function unknownUsers(
  tx: Tx,
  siteId: number,
  items: readonly UsersToUserGroupRequestVm[],
): Promise<FieldError[]> {
  const known = await store.lockMembers(
    tx,
    siteId,
    items.flatMap((item) => item.userIds),
  );
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
