import { groupsOf } from './person.ts';
import type { Change, State } from './person.ts';

/** The switches of `PUT /user` that a plan turns. */
export interface UserSet {
  isActive?: boolean;
  twoFactorEnabled?: true;
  ipRestrictionsEnabled?: true;
}

/** Every pairing of the two lists (shapes 2). */
interface Pairing {
  userIds: number[];
  groupIds: number[];
}

/** One request of the contract and whom it is about. */
export type Call =
  | { kind: 'user'; change: Change; set: UserSet }
  | { kind: 'license'; change: Change; licenseTypeId: number }
  | { kind: 'remove'; change: Change }
  | { kind: 'assign' | 'unassign'; changes: readonly Change[]; pairings: Pairing[] };

/** One request changes at most so many pairs, all or nothing. */
export const MOST_PAIRS = 1000;

/**
 * The requests that lead from before to after, and only those. Parts follow one another: groups are given before
 * others are taken, so that nobody who moves between two is without both.
 */
export function callsOf(changes: readonly Change[]): Call[][] {
  const single = changes.flatMap(singleCalls);
  const parts = [pairCalls('assign', changes), single, pairCalls('unassign', changes)];
  return parts.filter((part) => part.length > 0);
}

function singleCalls(change: Change): Call[] {
  const { person, after } = change;
  if (!after) return [{ kind: 'remove', change }];
  const set = setOf(person, after);
  const { licenseTypeId } = after;
  return [
    ...(Object.keys(set).length > 0 ? [{ kind: 'user', change, set } as const] : []),
    ...(licenseTypeId !== undefined && licenseTypeId !== person.licenseTypeId
      ? [{ kind: 'license', change, licenseTypeId } as const]
      : []),
  ];
}

const setOf = (before: State, after: State): UserSet => ({
  ...(before.isActive !== after.isActive && { isActive: after.isActive }),
  ...(!before.twoFactor && after.twoFactor && { twoFactorEnabled: true as const }),
  ...(!before.approvedAddresses && after.approvedAddresses && { ipRestrictionsEnabled: true as const }),
});

/** People with the same groups to give or take share a pairing; requests are filled up to their limit. */
function pairCalls(kind: 'assign' | 'unassign', changes: readonly Change[]): Call[] {
  const alike = new Map<string, { groupIds: number[]; changes: Change[] }>();
  for (const change of changes) {
    const { added, removed } = groupsOf(change);
    const groupIds = (kind === 'assign' ? added : removed).toSorted((a, b) => a - b);
    if (groupIds.length === 0) continue;
    const known = alike.get(groupIds.join());
    if (known) known.changes.push(change);
    else alike.set(groupIds.join(), { groupIds, changes: [change] });
  }
  const calls: { kind: typeof kind; changes: Change[]; pairings: Pairing[] }[] = [];
  let room = 0;
  for (const { groupIds, changes: own } of alike.values()) {
    for (const some of chunks(groupIds, MOST_PAIRS)) {
      for (let at = 0; at < own.length;) {
        if (room < some.length) {
          calls.push({ kind, changes: [], pairings: [] });
          room = MOST_PAIRS;
        }
        const next = own.slice(at, at + Math.floor(room / some.length));
        const call = calls.at(-1);
        call?.changes.push(...next);
        call?.pairings.push({ userIds: next.map(({ person }) => person.id), groupIds: some });
        at += next.length;
        room -= next.length * some.length;
      }
    }
  }
  return calls;
}

/** A list in parts of at most `size`. */
export const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
