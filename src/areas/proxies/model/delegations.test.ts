import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cyclesOf } from '../graph/cycles.ts';
import { delegationsOf, isCyclic, marksOf, marksOfPair } from './delegations.ts';
import { changesOf, planOf, refusalOf } from './plan.ts';
import { findRows, rowsFrom } from './rows.ts';
import { readProxiesView, writeProxiesView } from './view.ts';

const NAMES = ['', 'Ada Okafor', 'Grace Lund', 'Bjørn Håkonsen', 'Chiara Ferraro', 'Dmytro Kovalenko'];
const person = (id: number) => {
  const fullName = NAMES[id] ?? `Person ${id}`;
  return { id, fullName, email: `p${id}@people.example` };
};
const listOf = (pairs: readonly (readonly [number, number])[]) =>
  [...Map.groupBy(pairs, ([proxy]) => proxy)].map(([proxy, own]) => ({
    proxyUser: person(proxy),
    users: own.map(([, user]) => person(user)),
  }));
// 1 → 2 → 3 → 1 is a circle; 4 acts for 1 and 5.
const all = delegationsOf(
  listOf([
    [1, 2],
    [2, 3],
    [3, 1],
    [4, 1],
    [4, 5],
  ]),
);
const states = new Map(
  [1, 2, 3, 4, 5].map((id) => [id, { isActive: id !== 5, twoFactor: id !== 4 && id !== 5 }]),
);

describe('both directions', () => {
  it('are the same assignments', () => {
    const pairs = fc.uniqueArray(
      fc.tuple(fc.nat(30), fc.nat(30)).filter(([a, b]) => a !== b),
      { selector: ([a, b]) => `${a} ${b}`, maxLength: 60 },
    );
    fc.assert(
      fc.property(pairs, (some) => {
        const { usersOf, proxiesOf } = delegationsOf(listOf(some));
        const there = [...usersOf].flatMap(([proxy, users]) => users.map((user) => `${proxy} ${user}`));
        const back = [...proxiesOf].flatMap(([user, proxies]) => proxies.map((proxy) => `${proxy} ${user}`));
        expect(there.toSorted()).toEqual(back.toSorted());
        expect(there.toSorted()).toEqual(some.map(([a, b]) => `${a} ${b}`).toSorted());
      }),
    );
  });

  it('list whoever stands at that end', () => {
    expect(rowsFrom('proxy', all, states).map(({ id }) => id)).toEqual([1, 3, 4, 2]);
    expect(rowsFrom('user', all, states).map(({ id }) => id)).toEqual([1, 3, 5, 2]);
  });
});

describe('cycles', () => {
  it('are those who reach themselves', () => {
    const graph = fc.dictionary(fc.nat(12).map(String), fc.uniqueArray(fc.nat(12), { maxLength: 4 }));
    fc.assert(
      fc.property(graph, (edges) => {
        const ids = Array.from({ length: 13 }, (_, id) => id);
        const next = (id: number) => (edges[id] ?? []).filter((to) => to !== id);
        const reach = (id: number) => {
          const seen = new Set(next(id));
          for (const one of seen) for (const to of next(one)) seen.add(to);
          return seen;
        };
        const cycles = cyclesOf(ids, next);
        for (const a of ids) {
          expect(cycles.has(a)).toBe(reach(a).has(a));
          for (const b of ids.filter((id) => id !== a && cycles.has(a)))
            expect(cycles.get(a) === cycles.get(b)).toBe(reach(a).has(b) && reach(b).has(a));
        }
      }),
    );
  });

  it('of a chain of 5,000 take no deep stack', () => {
    const ids = Array.from({ length: 5000 }, (_, id) => id);
    expect(cyclesOf(ids, (id) => [(id + 1) % 5000]).size).toBe(5000);
  });

  it('mark the assignments in them, and not those that lead there', () => {
    expect(isCyclic(all, { proxyUserId: 3, userId: 1 })).toBe(true);
    expect(isCyclic(all, { proxyUserId: 4, userId: 1 })).toBe(false);
  });
});

it('marks people, the second factor of delegates alone', () => {
  expect(marksOf(1, all, states)).toEqual(['cycle']);
  expect(marksOf(4, all, states)).toEqual(['noTwoFactor']);
  expect(marksOf(5, all, states)).toEqual(['inactive']);
  expect(marksOf(4, all, new Map())).toEqual([]);
  expect(marksOfPair({ proxyUserId: 4, userId: 5 }, all, states)).toEqual(['inactive', 'noTwoFactor']);
});

const find = (search: Record<string, unknown>) => {
  const view = readProxiesView(search);
  return findRows(rowsFrom(view.by, all, states), view, all).map(({ id }) => id);
};

describe('a search', () => {
  it.each([
    [{}, [1, 3, 4, 2]],
    [{ q: 'hakonsen' }, [3, 2]],
    [{ q: 'proxy:hakonsen' }, [3]],
    [{ q: 'user: hakonsen' }, [2]],
    [{ q: 'user: hakonsen', end: 'user' }, [3]],
    [{ q: 'p5@people' }, [4]],
    [{ with: 'inactive' }, [4]],
    [{ with: 'inactive', end: 'user' }, [5]],
    [{ with: 'noTwoFactor', end: 'user' }, [1, 5]],
    [{ with: 'cycle' }, [1, 3, 2]],
    [{ more: 1 }, [4]],
    [{ sort: '-count' }, [4, 2, 3, 1]],
  ])('%j finds %j', (search, ids) => {
    expect(find(search)).toEqual(ids);
  });

  it('comes back from its address', () => {
    const search = {
      q: 7,
      end: 'user',
      with: 'inactive-noTwoFactor',
      more: 5,
      sort: '-marks',
      hide: 'email',
    };
    expect(writeProxiesView(readProxiesView(search))).toEqual({ ...search, with: 'inactive-noTwoFactor' });
    expect(writeProxiesView(readProxiesView({ end: 'x', with: 'x', more: 3, sort: 'x' }))).toEqual({});
  });
});

describe('a plan', () => {
  it('adds to the list, and says what closes a circle', () => {
    const plan = planOf({ proxyUserId: 1, userIds: [2, 4, 5, 1], replace: false }, all);
    expect(plan).toEqual({ add: [4, 5], remove: [], stay: [2], circles: [4] });
    expect(changesOf(1, plan)).toEqual({
      add: [
        { proxyUserId: 1, userId: 4 },
        { proxyUserId: 1, userId: 5 },
      ],
      remove: [],
    });
  });

  it('replaces the list, and clears it', () => {
    expect(planOf({ proxyUserId: 4, userIds: [1, 2], replace: true }, all)).toMatchObject({
      add: [2],
      remove: [5],
      stay: [1],
    });
    expect(planOf({ proxyUserId: 4, userIds: [], replace: true }, all).remove).toEqual([1, 5]);
  });

  it('refuses oneself, inactive people and repetition', () => {
    const context = { other: 1, taken: new Set([2]) };
    expect(refusalOf({ id: 1, isActive: true }, context)).toBe('Nobody acts for themselves');
    expect(refusalOf({ id: 5, isActive: false }, context)).toMatch(/^Inactive/);
    expect(refusalOf({ id: 2, isActive: true }, context)).toBe('Assigned already');
    expect(refusalOf({ id: 3, isActive: true }, context)).toBeUndefined();
  });
});
