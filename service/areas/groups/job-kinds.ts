import type { Capability } from '../../../contract/generated/types.gen.ts';
import { loadEffectiveCapabilities } from '../../kernel/auth/callers.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import { USER_LABELS } from '../../kernel/jobs/item-labels.store.ts';
import { defineJobKind, type ItemOutcome } from '../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../kernel/numbers.ts';
import {
  addToGroups,
  describeMissingCapabilities,
  findUserConflict,
  lockGroups,
  lockUsers,
  recordGroupMemberChanges,
  recordUserChanges,
  removeFromGroups,
  requireAdministrator,
  type GroupMember,
  type ReviewedPlan,
  type StoredUser,
} from '../members/index.ts';
import { getGroup } from './groups.store.ts';

/** Groups that a user is added to and removed from; a group in both lists is added. */
interface MembershipChange {
  userId: number;
  add: number[];
  remove: number[];
}

/** Job that adds users to groups and removes them from others. */
export const membershipsJob = defineJobKind<ReviewedPlan, MembershipChange>({
  kind: 'groups.change',
  operation: 'startMembershipChanges',
  itemSchema: 'MembershipChange',
  uniqueBy: 'userId',
  labels: USER_LABELS,
  async describe({ db, siteId }, _parameters, items) {
    const people = pluralize(items.length, 'person', 'people');
    const changes = await items.listDistinct('add', 'remove');
    const added = new Set(changes.flatMap(({ add }) => add));
    const removed = new Set(changes.flatMap(({ remove }) => remove));
    const [groupId, ...others] = [...added, ...removed];
    const isSame = changes.every(
      ({ add, remove }) => add.length + remove.length === added.size + removed.size,
    );
    if (groupId === undefined || !isSame || (added.size > 0 && removed.size > 0))
      return `Change the groups of ${people}`;
    const groups =
      others.length > 0 ? `${others.length + 1} groups` : await describeGroup(db, siteId, groupId);
    return added.size > 0 ? `Add ${people} to ${groups}` : `Remove ${people} from ${groups}`;
  },
  // As every change of group memberships.
  locksSite: () => true,
  async run({ tx, caller, record, parameters, items }) {
    const { siteId } = caller;
    const ids = items.map(({ userId }) => userId);
    const users = new Map((await lockUsers(tx, siteId, ids)).map((user) => [user.id, user]));
    const groupIds = [...new Set(items.flatMap(({ add, remove }) => [...add, ...remove]))];
    const groups = await lockGroups(tx, siteId, groupIds);
    const held = await loadEffectiveCapabilities(tx, caller);
    const changes: { user: StoredUser; added: GroupMember[]; removed: GroupMember[] }[] = [];
    const outcomes = items.map(({ userId, add, remove }): ItemOutcome => {
      const user = users.get(userId);
      const conflict = findUserConflict(user, parameters);
      if (!user || conflict !== undefined) return { state: 'conflict', reason: conflict ?? '' };
      const added = add.filter((id) => !user.groups.includes(id));
      const removed = remove.filter((id) => user.groups.includes(id) && !add.includes(id));
      if (added.length + removed.length === 0) return { state: 'unchanged' };
      const refusal = findRefusal([...added, ...removed], groups, held);
      if (refusal !== undefined) return { state: 'failed', reason: refusal };
      const toPair = (groupId: number): GroupMember => [userId, groupId];
      changes.push({ user, added: added.map(toPair), removed: removed.map(toPair) });
      return { state: 'done', before: { add: removed, remove: added } };
    });
    const pairs = (which: 'added' | 'removed') => changes.flatMap((change) => change[which]);
    const added = await addToGroups(tx, siteId, pairs('added'));
    const removed = await removeFromGroups(tx, siteId, pairs('removed'));
    if (removed.length > 0) await requireAdministrator(tx, siteId);
    await recordGroupMemberChanges(tx, siteId, { added }, record);
    await recordGroupMemberChanges(tx, siteId, { removed }, record);
    const [removedOnly, others] = [
      changes.filter((change) => change.added.length === 0),
      changes.filter((change) => change.added.length > 0),
    ].map((part) => part.map(({ user }) => user));
    if (others) await recordUserChanges(tx, caller, others, 'group.assign', record);
    if (removedOnly) await recordUserChanges(tx, caller, removedOnly, 'group.unassign', record);
    return outcomes;
  },
  invert: (_parameters, done) => ({
    kind: 'groups.change',
    parameters: {},
    items: done.map(({ input, before }) => ({ userId: input.userId, ...before })),
  }),
});

const describeGroup = async (db: Db, siteId: number, groupId: number): Promise<string> =>
  (await getGroup(db, siteId, groupId))?.name ?? `group ${groupId}`;

/** Why the caller may not change memberships of these groups; undefined if the caller may. */
function findRefusal(
  groupIds: readonly number[],
  groups: ReadonlyMap<number, readonly Capability[]>,
  held: ReadonlySet<Capability>,
): string | undefined {
  const unknownId = groupIds.find((id) => !groups.has(id));
  if (unknownId !== undefined) return `Group ${unknownId} no longer exists`;
  const required = groupIds.flatMap((id) => groups.get(id) ?? []);
  return describeMissingCapabilities(held, required, 'Changing these groups');
}
