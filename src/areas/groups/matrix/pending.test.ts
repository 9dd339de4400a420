import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countOf,
  forget,
  groupsAfter,
  NOTHING_PENDING,
  pairsOf,
  setExactly,
  settle,
  toggle,
  withoutGone,
} from './pending.ts';
import type { Person } from './pending.ts';

const groupIds = fc.uniqueArray(fc.integer({ min: 1, max: 30 }));
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

/** What PUT (append) and DELETE (remove what is listed) leave of somebody's groups (spec 4.2). */
function carriedOut({ id, groups }: Person, { add, remove }: ReturnType<typeof pairsOf>): number[] {
  const own = (pairs: typeof add) =>
    pairs.filter(({ userId }) => userId === id).map(({ groupId }) => groupId);
  const appended = new Set([...groups, ...own(add)]);
  for (const groupId of own(remove)) appended.delete(groupId);
  return [...appended];
}

describe('pending changes', () => {
  test('setting exactly, sent as the two calls, leaves exactly those groups', () => {
    fc.assert(
      fc.property(groupIds, groupIds, (groups, wanted) => {
        const person = { id: 7, groups };
        const pending = setExactly(NOTHING_PENDING, person, wanted);
        const pairs = pairsOf(pending);
        expect(sorted(carriedOut(person, pairs))).toEqual(sorted(wanted));
        expect(sorted(groupsAfter(person, pending))).toEqual(sorted(wanted));
        // Nothing is sent that is so already.
        expect(pairs.add.some(({ groupId }) => groups.includes(groupId))).toBe(false);
        expect(pairs.remove.every(({ groupId }) => groups.includes(groupId))).toBe(true);
      }),
    );
  });

  test('whatever is toggled, the two calls do what the matrix shows; toggled again, nothing is pending', () => {
    fc.assert(
      fc.property(groupIds, fc.array(fc.integer({ min: 1, max: 30 })), (groups, touched) => {
        const person = { id: 7, groups };
        const pending = touched.reduce((so, groupId) => toggle(so, person, groupId), NOTHING_PENDING);
        expect(sorted(carriedOut(person, pairsOf(pending)))).toEqual(sorted(groupsAfter(person, pending)));
        const back = touched.reduce((so, groupId) => toggle(so, person, groupId), pending);
        expect(countOf(back)).toBe(0);
      }),
    );
  });

  test('what is pending for a group that was deleted is given up, the rest stays', () => {
    const ann = { id: 1, groups: [5] };
    const all = toggle(toggle(toggle(NOTHING_PENDING, ann, 5), ann, 6), { id: 2, groups: [] }, 5);
    const left = withoutGone(all, new Set([6]));
    expect(pairsOf(left)).toEqual({ add: [{ userId: 1, groupId: 6 }], remove: [] });
    expect([...left.keys()]).toEqual([1]);
    expect(withoutGone(left, new Set([6]))).toBe(left);
  });

  test('what has come about is no longer pending; what has not stays, of those who are gone too', () => {
    const [ann, ben] = [
      { id: 1, groups: [5] },
      { id: 2, groups: [] },
    ];
    const all = toggle(toggle(toggle(NOTHING_PENDING, ann, 5), ann, 6), ben, 5);
    const left = settle(all, new Map([[1, { id: 1, groups: [6, 5] }]]));
    expect(pairsOf(left)).toEqual({
      add: [{ userId: 2, groupId: 5 }],
      remove: [{ userId: 1, groupId: 5 }],
    });
    expect(settle(left, new Map([[1, { id: 1, groups: [5, 6] }]]))).toBe(left);
    expect(pairsOf(forget(left, 2)).add).toEqual([]);
  });
});
