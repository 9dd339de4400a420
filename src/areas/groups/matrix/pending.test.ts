import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countChanges,
  discardUserChanges,
  getGroupsAfter,
  NOTHING_PENDING,
  toPairs,
  stageExactGroups,
  removeCompleted,
  toggleMembership,
  removeDeletedGroups,
} from './pending.ts';
import type { GroupMember } from './pending.ts';

const groupIds = fc.uniqueArray(fc.integer({ min: 1, max: 30 }));
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

/** Groups after PUT (adds) and DELETE (removes) (spec 4.2). */
function carriedOut({ id, groups }: GroupMember, { add, remove }: ReturnType<typeof toPairs>): number[] {
  const own = (pairs: typeof add) =>
    pairs.filter(({ userId }) => userId === id).map(({ groupId }) => groupId);
  const appended = new Set([...groups, ...own(add)]);
  for (const groupId of own(remove)) appended.delete(groupId);
  return [...appended];
}

describe('pending changes', () => {
  test('setting exactly results in exactly those groups', () => {
    fc.assert(
      fc.property(groupIds, groupIds, (groups, isMember) => {
        const person = { id: 7, groups };
        const pending = stageExactGroups(NOTHING_PENDING, person, isMember);
        const pairs = toPairs(pending);
        expect(sorted(carriedOut(person, pairs))).toEqual(sorted(isMember));
        expect(sorted(getGroupsAfter(person, pending))).toEqual(sorted(isMember));
        // Nothing is sent that is already the case.
        expect(pairs.add.some(({ groupId }) => groups.includes(groupId))).toBe(false);
        expect(pairs.remove.every(({ groupId }) => groups.includes(groupId))).toBe(true);
      }),
    );
  });

  test('toggles match the two requests, and toggling again leaves nothing pending', () => {
    fc.assert(
      fc.property(groupIds, fc.array(fc.integer({ min: 1, max: 30 })), (groups, toggledIds) => {
        const person = { id: 7, groups };
        const pending = toggledIds.reduce(
          (outcome, groupId) => toggleMembership(outcome, person, groupId),
          NOTHING_PENDING,
        );
        expect(sorted(carriedOut(person, toPairs(pending)))).toEqual(sorted(getGroupsAfter(person, pending)));
        const back = toggledIds.reduce(
          (outcome, groupId) => toggleMembership(outcome, person, groupId),
          pending,
        );
        expect(countChanges(back)).toBe(0);
      }),
    );
  });

  test('discards changes for deleted groups', () => {
    const ann = { id: 1, groups: [5] };
    const all = toggleMembership(
      toggleMembership(toggleMembership(NOTHING_PENDING, ann, 5), ann, 6),
      { id: 2, groups: [] },
      5,
    );
    const left = removeDeletedGroups(all, new Set([6]));
    expect(toPairs(left)).toEqual({ add: [{ userId: 1, groupId: 6 }], remove: [] });
    expect([...left.keys()]).toEqual([1]);
    expect(removeDeletedGroups(left, new Set([6]))).toBe(left);
  });

  test('removes completed changes and keeps the others, also of missing users', () => {
    const [ann, ben] = [
      { id: 1, groups: [5] },
      { id: 2, groups: [] },
    ];
    const all = toggleMembership(toggleMembership(toggleMembership(NOTHING_PENDING, ann, 5), ann, 6), ben, 5);
    const left = removeCompleted(all, new Map([[1, { id: 1, groups: [6, 5] }]]));
    expect(toPairs(left)).toEqual({
      add: [{ userId: 2, groupId: 5 }],
      remove: [{ userId: 1, groupId: 5 }],
    });
    expect(removeCompleted(left, new Map([[1, { id: 1, groups: [5, 6] }]]))).toBe(left);
    expect(toPairs(discardUserChanges(left, 2)).add).toEqual([]);
  });
});
