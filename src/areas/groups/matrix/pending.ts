import type { Pair } from '../../bulk/actions.ts';

/** Changes of membership that were made in the matrix and not sent: by user, then by group, whether they are to be in. */
export type Pending = ReadonlyMap<number, ReadonlyMap<number, boolean>>;

/** Somebody with the groups they are in now. */
export interface Person {
  id: number;
  groups: readonly number[];
}

export const NOTHING_PENDING: Pending = new Map();

function withUser(pending: Pending, userId: number, wishes: ReadonlyMap<number, boolean>): Pending {
  const next = new Map(pending);
  if (wishes.size === 0) next.delete(userId);
  else next.set(userId, wishes);
  return next;
}

/** Asks for the opposite of what stands in the cell; asked twice, nothing is asked. */
export function toggle(pending: Pending, { id, groups }: Person, groupId: number): Pending {
  const wishes = new Map(pending.get(id));
  if (!wishes.delete(groupId)) wishes.set(groupId, !groups.includes(groupId));
  return withUser(pending, id, wishes);
}

/** "Set exactly": what has to be added and removed so that the person is in these groups and no others. */
export function setExactly(pending: Pending, { id, groups }: Person, wanted: readonly number[]): Pending {
  const add = wanted.filter((groupId) => !groups.includes(groupId));
  const remove = groups.filter((groupId) => !wanted.includes(groupId));
  return withUser(
    pending,
    id,
    new Map([
      ...add.map((groupId) => [groupId, true] as const),
      ...remove.map((groupId) => [groupId, false] as const),
    ]),
  );
}

/** Takes back what is asked for one person. */
export const forget = (pending: Pending, userId: number): Pending => withUser(pending, userId, new Map());

/** Without what has come about: the directory knows it, whoever did it. The same object where nothing has. */
export function settle(pending: Pending, people: ReadonlyMap<number, Person>): Pending {
  let open = pending;
  for (const [userId, wishes] of pending) {
    const groups = people.get(userId)?.groups;
    const left = new Map([...wishes].filter(([groupId, wanted]) => groups?.includes(groupId) !== wanted));
    if (left.size < wishes.size) open = withUser(open, userId, left);
  }
  return open;
}

/** Without wishes about groups that are no more: nothing can come of them. The same object where there are none. */
export function withoutGone(pending: Pending, groupIds: ReadonlySet<number>): Pending {
  let open = pending;
  for (const [userId, wishes] of pending) {
    const left = new Map([...wishes].filter(([groupId]) => groupIds.has(groupId)));
    if (left.size < wishes.size) open = withUser(open, userId, left);
  }
  return open;
}

/** The groups somebody will be in when all that is pending has been done. */
export function groupsAfter({ id, groups }: Person, pending: Pending): readonly number[] {
  const wishes = pending.get(id);
  if (!wishes) return groups;
  const stay = groups.filter((groupId) => wishes.get(groupId) !== false);
  return [...stay, ...[...wishes].flatMap(([groupId, wanted]) => (wanted ? [groupId] : []))];
}

/** The two calls that everything pending turns into: PUT appends, DELETE removes (spec 4.2). */
export function pairsOf(pending: Pending): { add: Pair[]; remove: Pair[] } {
  const pairs = { add: [] as Pair[], remove: [] as Pair[] };
  for (const [userId, wishes] of pending)
    for (const [groupId, wanted] of wishes) pairs[wanted ? 'add' : 'remove'].push({ userId, groupId });
  return pairs;
}

/** How many cells differ from what is so. */
export const countOf = (pending: Pending): number =>
  [...pending.values()].reduce((sum, wishes) => sum + wishes.size, 0);
