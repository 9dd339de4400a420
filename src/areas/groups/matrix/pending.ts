import type { UserGroupPair } from '../../bulk/index.ts';

/** Membership changes not sent yet: by user, then by group; the value is the target membership. */
export type PendingChanges = ReadonlyMap<number, ReadonlyMap<number, boolean>>;

/** User with current groups. */
export interface GroupMember {
  id: number;
  groups: readonly number[];
}

export const NOTHING_PENDING: PendingChanges = new Map();

function setUserChanges(
  pending: PendingChanges,
  userId: number,
  changes: ReadonlyMap<number, boolean>,
): PendingChanges {
  const next = new Map(pending);
  if (changes.size === 0) next.delete(userId);
  else next.set(userId, changes);
  return next;
}

/** Toggles a cell; toggling twice leaves no change. */
export function toggleMembership(
  pending: PendingChanges,
  { id, groups }: GroupMember,
  groupId: number,
): PendingChanges {
  const changes = new Map(pending.get(id));
  if (!changes.delete(groupId)) changes.set(groupId, !groups.includes(groupId));
  return setUserChanges(pending, id, changes);
}

/** Stages the additions and removals that leave the user in exactly these groups. */
export function stageExactGroups(
  pending: PendingChanges,
  { id, groups }: GroupMember,
  isMember: readonly number[],
): PendingChanges {
  const add = isMember.filter((groupId) => !groups.includes(groupId));
  const remove = groups.filter((groupId) => !isMember.includes(groupId));
  return setUserChanges(
    pending,
    id,
    new Map([
      ...add.map((groupId) => [groupId, true] as const),
      ...remove.map((groupId) => [groupId, false] as const),
    ]),
  );
}

/** Discards the changes of one user. */
export const discardUserChanges = (pending: PendingChanges, userId: number): PendingChanges =>
  setUserChanges(pending, userId, new Map());

/** Removes changes that the directory already contains. Returns the same object if there are none. */
export function removeCompleted(
  pending: PendingChanges,
  people: ReadonlyMap<number, GroupMember>,
): PendingChanges {
  let open = pending;
  for (const [userId, changes] of pending) {
    const groups = people.get(userId)?.groups;
    const left = new Map(
      [...changes].filter(([groupId, isMember]) => groups?.includes(groupId) !== isMember),
    );
    if (left.size < changes.size) open = setUserChanges(open, userId, left);
  }
  return open;
}

/** Removes changes for deleted groups. Returns the same object if there are none. */
export function removeDeletedGroups(pending: PendingChanges, groupIds: ReadonlySet<number>): PendingChanges {
  let open = pending;
  for (const [userId, changes] of pending) {
    const left = new Map([...changes].filter(([groupId]) => groupIds.has(groupId)));
    if (left.size < changes.size) open = setUserChanges(open, userId, left);
  }
  return open;
}

/** Groups of a user after all pending changes. */
export function getGroupsAfter({ id, groups }: GroupMember, pending: PendingChanges): readonly number[] {
  const changes = pending.get(id);
  if (!changes) return groups;
  const stay = groups.filter((groupId) => changes.get(groupId) !== false);
  return [...stay, ...[...changes].flatMap(([groupId, isMember]) => (isMember ? [groupId] : []))];
}

/** Additions and removals to send: PUT adds, DELETE removes (spec 4.2). */
export function toPairs(pending: PendingChanges): { add: UserGroupPair[]; remove: UserGroupPair[] } {
  const pairs = { add: [] as UserGroupPair[], remove: [] as UserGroupPair[] };
  for (const [userId, changes] of pending)
    for (const [groupId, isMember] of changes) pairs[isMember ? 'add' : 'remove'].push({ userId, groupId });
  return pairs;
}

/** Number of changed cells. */
export const countChanges = (pending: PendingChanges): number =>
  [...pending.values()].reduce((sum, changes) => sum + changes.size, 0);
