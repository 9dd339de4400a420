import { diffProperties, type Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { loadEffectiveCapabilities } from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { defineJobKind, type ItemOutcome } from '../../kernel/jobs/job-kind.ts';
import { formatNumber } from '../../kernel/numbers.ts';
import {
  buildGroupEvent,
  describeMissingCapabilities,
  lockGroups,
  lockUsers,
  recordGroupMemberChanges,
  recordUserChanges,
  removeFromGroups,
  requireAdministrator,
  type GroupMember,
} from '../members/index.ts';
import * as store from './groups.store.ts';

/** A transaction locks all members that it removes: deleting a group of 100,000 in one took 40 seconds. */
export const MAX_MEMBERS_AT_ONCE = 1_000;

/** Deletes a locked group with its memberships. @throws ApiError 409 if no administrator would remain */
export async function removeGroup(
  tx: Tx,
  caller: Caller,
  group: store.StoredGroup,
  record: Recorder,
): Promise<void> {
  const members = await lockUsers(tx, caller.siteId, await store.listMemberIds(tx, caller.siteId, group.id));
  await store.deleteGroup(tx, caller.siteId, group.id);
  await requireAdministrator(tx, caller.siteId);
  const memberIds = members.map((user) => user.id);
  record({
    action: 'group.delete',
    subject: ['group', group.id, group.name],
    changes: {
      ...diffProperties(store.normalizeGroup(group), undefined),
      members: [memberIds, []],
    },
    event: buildGroupEvent('deleted', group, { name: group.name, removed: memberIds }),
  });
  await recordUserChanges(tx, caller, members, 'group.delete', record);
}

/** A member to be removed from the group, or without `userId` the group itself, which follows its members. */
interface RemovalItem {
  groupId: number;
  userId?: number;
}

/**
 * Items that delete the groups. The caller stays a member until the group itself is deleted: the job might need the capabilities that
 * the group grants.
 */
export async function listRemovalItems(
  tx: Tx,
  { siteId, userId: callerId }: Caller,
  groupIds: readonly number[],
): Promise<RemovalItem[]> {
  const items: RemovalItem[] = [];
  for (const groupId of groupIds) {
    for (const userId of await store.listMemberIds(tx, siteId, groupId))
      if (userId !== callerId) items.push({ groupId, userId });
    items.push({ groupId });
  }
  return items;
}

/** Job that removes the members of groups and then the groups. A deleted group has to be created again, so there is no inverse. */
export const removeGroupsJob = defineJobKind<object, RemovalItem>({
  kind: 'groups.delete',
  operation: 'startGroupRemovals',
  labels: store.REMOVAL_LABELS,
  async describe({ db, siteId }, _parameters, items) {
    const [first, ...others] = await items.listDistinct('groupId');
    if (!first || others.length > 0) return `Delete ${others.length + 1} groups`;
    const { groupId } = first;
    const group = await store.getGroup(db, siteId, groupId);
    return `Delete the group ${group?.name ?? groupId}`;
  },
  // As every change of group memberships.
  locksSite: () => true,
  async run({ tx, caller, record, items }) {
    const { siteId } = caller;
    const users = await lockUsers(
      tx,
      siteId,
      items.flatMap(({ userId }) => userId ?? []),
    );
    const groups = await lockGroups(
      tx,
      siteId,
      items.map(({ groupId }) => groupId),
    );
    const held = await loadEffectiveCapabilities(tx, caller);
    const findRefusal = (groupId: number) =>
      describeMissingCapabilities(held, groups.get(groupId) ?? [], 'Deleting this group');
    const removed = await removeFromGroups(
      tx,
      siteId,
      items.flatMap(({ groupId, userId }): GroupMember[] =>
        userId === undefined || findRefusal(groupId) !== undefined ? [] : [[userId, groupId]],
      ),
    );
    if (removed.length > 0) await requireAdministrator(tx, siteId);
    await recordGroupMemberChanges(tx, siteId, { removed }, record);
    await recordUserChanges(tx, caller, users, 'group.delete', record);
    const isRemoved = new Set(removed.map((pair) => pair.join()));
    const outcomes: ItemOutcome[] = [];
    for (const { groupId, userId } of items) {
      const refusal = findRefusal(groupId);
      if (refusal !== undefined) outcomes.push({ state: 'failed', reason: refusal });
      else if (userId === undefined) outcomes.push(await removeEmptiedGroup(tx, caller, groupId, record));
      else outcomes.push({ state: isRemoved.has([userId, groupId].join()) ? 'done' : 'unchanged' });
    }
    return outcomes;
  },
});

/** Deletes a group whose members were removed, with those who joined since. */
async function removeEmptiedGroup(
  tx: Tx,
  caller: Caller,
  groupId: number,
  record: Recorder,
): Promise<ItemOutcome> {
  const group = await store.getGroup(tx, caller.siteId, groupId, true);
  if (!group) return { state: 'conflict', reason: 'This group no longer exists' };
  if (group.userCount > MAX_MEMBERS_AT_ONCE)
    return {
      state: 'failed',
      reason: `${formatNumber(group.userCount)} people are members again. Delete the group once more.`,
    };
  await removeGroup(tx, caller, group, record);
  return { state: 'done' };
}
