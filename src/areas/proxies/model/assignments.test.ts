import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toProxyChanges, planAssignments, getRefusalReason } from './assignment-plan.ts';
import { buildAssignments, isPartOfCycle, getPersonWarnings, getAssignmentWarnings } from './assignments.ts';
import { findCycles } from './assignments.ts';
import { filterRows, buildRows } from './rows.ts';
import { parseProxiesView, serializeProxiesView } from './view.ts';

const NAMES = ['', 'Ada Okafor', 'Grace Lund', 'Bjørn Håkonsen', 'Chiara Ferraro', 'Dmytro Kovalenko'];
const person = (id: number) => {
  const fullName = NAMES[id] ?? `Person ${id}`;
  return { id, fullName, email: `p${id}@people.example` };
};
const toResponse = (pairs: readonly (readonly [number, number])[]) =>
  [...Map.groupBy(pairs, ([proxy]) => proxy)].map(([proxy, own]) => ({
    proxyUser: person(proxy),
    users: own.map(([, user]) => person(user)),
  }));
// 1 → 2 → 3 → 1 is a cycle; 4 acts for 1 and 5.
const all = buildAssignments(
  toResponse([
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

describe('buildAssignments', () => {
  it('indexes the same assignments by proxy and by user', () => {
    const pairs = fc.uniqueArray(
      fc.tuple(fc.nat(30), fc.nat(30)).filter(([a, b]) => a !== b),
      { selector: ([a, b]) => `${a} ${b}`, maxLength: 60 },
    );
    fc.assert(
      fc.property(pairs, (some) => {
        const { usersByProxy, proxiesByUser } = buildAssignments(toResponse(some));
        const byProxy = [...usersByProxy].flatMap(([proxy, users]) =>
          users.map((user) => `${proxy} ${user}`),
        );
        const byUser = [...proxiesByUser].flatMap(([user, proxies]) =>
          proxies.map((proxy) => `${proxy} ${user}`),
        );
        expect(byProxy.toSorted()).toEqual(byUser.toSorted());
        expect(byProxy.toSorted()).toEqual(some.map(([a, b]) => `${a} ${b}`).toSorted());
      }),
    );
  });

  it('builds rows for both ends', () => {
    expect(buildRows('proxy', all, states).map(({ id }) => id)).toEqual([1, 3, 4, 2]);
    expect(buildRows('user', all, states).map(({ id }) => id)).toEqual([1, 3, 5, 2]);
  });
});

describe('findCycles', () => {
  it('finds the nodes that can reach themselves', () => {
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
        const cycles = findCycles(ids, next);
        for (const a of ids) {
          expect(cycles.has(a)).toBe(reach(a).has(a));
          for (const b of ids.filter((id) => id !== a && cycles.has(a)))
            expect(cycles.get(a) === cycles.get(b)).toBe(reach(a).has(b) && reach(b).has(a));
        }
      }),
    );
  });

  it('handles a cycle of 5,000 nodes without recursion', () => {
    const ids = Array.from({ length: 5000 }, (_, id) => id);
    expect(findCycles(ids, (id) => [(id + 1) % 5000]).size).toBe(5000);
  });

  it('contains the assignments of the cycle and not those that lead into it', () => {
    expect(isPartOfCycle(all, { proxyUserId: 3, userId: 1 })).toBe(true);
    expect(isPartOfCycle(all, { proxyUserId: 4, userId: 1 })).toBe(false);
  });
});

it('warns about people, and about a missing second factor of proxies only', () => {
  expect(getPersonWarnings(1, all, states)).toEqual(['cycle']);
  expect(getPersonWarnings(4, all, states)).toEqual(['noTwoFactor']);
  expect(getPersonWarnings(5, all, states)).toEqual(['inactive']);
  expect(getPersonWarnings(4, all, new Map())).toEqual([]);
  expect(getAssignmentWarnings({ proxyUserId: 4, userId: 5 }, all, states)).toEqual([
    'inactive',
    'noTwoFactor',
  ]);
});

it('marks assignments that the proxy has made, and filters by them at both ends', () => {
  const [first, ...others] = toResponse([
    [4, 1],
    [4, 5],
    [2, 1],
  ]);
  const own = buildAssignments([...(first ? [{ ...first, selfAssigned: [1] }] : []), ...others]);
  expect(getAssignmentWarnings({ proxyUserId: 4, userId: 1 }, own, new Map())).toEqual(['selfAssigned']);
  expect(getAssignmentWarnings({ proxyUserId: 4, userId: 5 }, own, new Map())).toEqual([]);
  for (const [end, ids] of [
    ['proxy', [4]],
    ['user', [1]],
  ] as const) {
    const view = parseProxiesView({ with: 'selfAssigned', end });
    expect(filterRows(buildRows(end, own, new Map()), view, own).map(({ id }) => id)).toEqual(ids);
  }
});

const find = (search: Record<string, unknown>) => {
  const view = parseProxiesView(search);
  return filterRows(buildRows(view.direction, all, states), view, all).map(({ id }) => id);
};

describe('filterRows', () => {
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

  it('uses a view that survives parsing and serializing', () => {
    const search = {
      q: 7,
      end: 'user',
      with: 'inactive-noTwoFactor',
      more: 5,
      sort: '-marks',
      hide: 'email',
    };
    expect(serializeProxiesView(parseProxiesView(search))).toEqual({
      ...search,
      with: 'inactive-noTwoFactor',
    });
    expect(serializeProxiesView(parseProxiesView({ end: 'x', with: 'x', more: 3, sort: 'x' }))).toEqual({});
  });
});

describe('planAssignments', () => {
  it('adds users and reports those that create a cycle', () => {
    const plan = planAssignments({ proxyUserId: 1, userIds: [2, 4, 5, 1], replace: false }, all);
    expect(plan).toEqual({ add: [4, 5], remove: [], unchanged: [2], closingCycle: [4] });
    expect(toProxyChanges(1, plan)).toEqual({
      add: [
        { proxyUserId: 1, userId: 4 },
        { proxyUserId: 1, userId: 5 },
      ],
      remove: [],
    });
  });

  it('replaces and clears the list', () => {
    expect(planAssignments({ proxyUserId: 4, userIds: [1, 2], replace: true }, all)).toMatchObject({
      add: [2],
      remove: [5],
      unchanged: [1],
    });
    expect(planAssignments({ proxyUserId: 4, userIds: [], replace: true }, all).remove).toEqual([1, 5]);
  });

  it('refuses the same person, inactive people and duplicates', () => {
    const context = { otherEnd: 1, assigned: new Set([2]) };
    expect(getRefusalReason({ id: 1, isActive: true }, context)).toBe('Users cannot act for themselves');
    expect(getRefusalReason({ id: 5, isActive: false }, context)).toMatch(/^Inactive/);
    expect(getRefusalReason({ id: 2, isActive: true }, context)).toBe('Assigned already');
    expect(getRefusalReason({ id: 3, isActive: true }, context)).toBeUndefined();
  });
});
