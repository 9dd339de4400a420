import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { capabilities } from '../../../contract/rules/capabilities.ts';
import type { BulkAction, BulkRequest } from './actions.ts';
import { callsOf, MOST_PAIRS } from './calls.ts';
import type { Call } from './calls.ts';
import { inverse } from './inverse.ts';
import type { Change, Person, State } from './person.ts';
import { billableDelta, createPlanner } from './plan.ts';
import type { Plan, Rules } from './plan.ts';

const GROUPS = [1, 2, 3, 4, 5, 6];
const ALL = capabilities.map(({ name }) => name);
const rules: Rules = {
  me: -1,
  held: ALL,
  groups: new Map(GROUPS.map((id) => [id, { name: `Group ${id}`, capabilities: [] }])),
};

function planOf(action: BulkAction, people: readonly Person[], own: Partial<Rules> = {}): Plan {
  const planner = createPlanner(action, { ...rules, ...own });
  planner.add(people);
  return planner.end();
}

const person = (id: number, state: Partial<State> = {}): Person => ({
  id,
  name: `Person ${id}`,
  email: `person${id}@northlight.example`,
  modified: '2026-03-01T08:00:00.000Z',
  modifiedBy: null,
  isActive: true,
  licenseTypeId: 1,
  groups: [],
  twoFactor: false,
  approvedAddresses: false,
  ...state,
});

const anybody = fc.record({
  isActive: fc.boolean(),
  licenseTypeId: fc.integer({ min: 1, max: 4 }),
  groups: fc.uniqueArray(fc.constantFrom(...GROUPS)),
  twoFactor: fc.boolean(),
  approvedAddresses: fc.boolean(),
});
const somePeople = fc
  .array(anybody, { minLength: 1, maxLength: 40 })
  .map((states) => states.map((state, at) => person(at + 1, state)));
const someGroups = fc.uniqueArray(fc.constantFrom(...GROUPS), { minLength: 1 });
const somePairs = fc.array(
  fc.record({ userId: fc.integer({ min: 1, max: 40 }), groupId: fc.constantFrom(...GROUPS) }),
);
const licenseTypeId = fc.integer({ min: 1, max: 4 });
const anyAction: fc.Arbitrary<BulkAction> = fc.oneof(
  fc.constantFrom<BulkAction>(
    { kind: 'activate' },
    { kind: 'deactivate' },
    { kind: 'twoFactorOn' },
    { kind: 'addressesOn' },
    { kind: 'remove' },
  ),
  licenseTypeId.map((id): BulkAction => ({ kind: 'license', licenseTypeId: id })),
  fc
    .array(fc.record({ userId: fc.integer({ min: 1, max: 40 }), licenseTypeId }))
    .map((each): BulkAction => ({ kind: 'licenses', each })),
  someGroups.map((groupIds): BulkAction => ({ kind: 'addGroups', groupIds })),
  someGroups.map((groupIds): BulkAction => ({ kind: 'removeGroups', groupIds })),
  fc.record({ kind: fc.constant('pairs' as const), add: somePairs, remove: somePairs }),
);

type Site = Map<number, State>;
const siteOf = (people: readonly Person[]): Site => new Map(people.map((one) => [one.id, one]));
const order = (state: State | undefined) =>
  state && { ...stateOf(state), groups: [...state.groups].toSorted((a, b) => a - b) };
const stateOf = ({
  isActive,
  licenseTypeId: license,
  groups,
  twoFactor,
  approvedAddresses,
}: State): State => ({
  isActive,
  licenseTypeId: license,
  groups,
  twoFactor,
  approvedAddresses,
});

/** What the service does with one call (spec 4.2): PUT appends, DELETE removes, the switches only go on. */
function apply(site: Site, call: Call): void {
  const at = (id: number): State => {
    const state = site.get(id);
    if (!state) throw new Error(`404: user ${id}`);
    return state;
  };
  if (call.kind === 'remove') site.delete(call.change.person.id);
  else if (call.kind === 'license')
    site.set(call.change.person.id, { ...at(call.change.person.id), licenseTypeId: call.licenseTypeId });
  else if (call.kind === 'user') {
    const before = at(call.change.person.id);
    site.set(call.change.person.id, {
      ...before,
      isActive: call.set.isActive ?? before.isActive,
      twoFactor: call.set.twoFactorEnabled ?? before.twoFactor,
      approvedAddresses: call.set.ipRestrictionsEnabled ?? before.approvedAddresses,
    });
  } else
    for (const { userIds, groupIds } of call.pairings)
      for (const userId of userIds) {
        const { groups, ...rest } = at(userId);
        const kept = groups.filter((id) => !groupIds.includes(id));
        site.set(userId, { ...rest, groups: call.kind === 'assign' ? [...kept, ...groupIds] : kept });
      }
}

function applyAll(site: Site, changes: readonly Change[]): void {
  for (const call of callsOf(changes).flat()) apply(site, call);
}

test('the dry run says what then happens, to everybody', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes, same, refused } = planOf(action, people);
      const site = siteOf(people);
      applyAll(site, changes);
      for (const {
        person: { id },
        after,
      } of changes)
        expect(order(site.get(id))).toEqual(order(after));
      for (const one of [...same, ...refused.map((each) => each.person)])
        expect(order(site.get(one.id))).toEqual(order(one));
      expect(changes.length + same.length + refused.length).toBe(people.length);
    }),
  );
});

const NOTHING: BulkRequest = { action: { kind: 'activate' }, userIds: [] };

test('the inverse restores, where there is one', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes } = planOf(action, people);
      const { action: back, userIds } = inverse(changes) ?? NOTHING;
      const oneWay = changes.length === 0 || ['twoFactorOn', 'addressesOn', 'remove'].includes(action.kind);
      expect(back === NOTHING.action).toBe(oneWay);
      const site = siteOf(oneWay ? [] : people);
      applyAll(site, oneWay ? [] : changes);
      const now = people.map((one) => ({ ...one, ...site.get(one.id) }));
      applyAll(
        site,
        planOf(
          back,
          now.filter(({ id }) => userIds.includes(id)),
        ).changes,
      );
      for (const [id, state] of site)
        expect(order(state)).toEqual(order(people.find((one) => one.id === id)));
    }),
  );
});

test('what is so already makes no call, and doing it twice does nothing the second time', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes } = planOf(action, people);
      const site = siteOf(people);
      applyAll(site, changes);
      const now = people.flatMap((one) => {
        const state = site.get(one.id);
        return state ? [{ ...one, ...state }] : [];
      });
      expect(callsOf(planOf(action, now).changes)).toEqual([]);
    }),
  );
});

test('a request never holds more than 1,000 pairs, and no pair stands in two', () => {
  const groups = new Map(
    Array.from({ length: 1500 }, (_, at) => [at + 1, { name: `Group ${at}`, capabilities: [] }] as const),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2500 }), fc.integer({ min: 1, max: 1500 }), (users, size) => {
      fc.pre(users * size <= 400_000);
      const groupIds = Array.from({ length: size }, (_, at) => at + 1);
      const people = Array.from({ length: users }, (_, at) =>
        person(at + 1, { groups: at % 3 === 0 ? [1] : [] }),
      );
      const calls = callsOf(planOf({ kind: 'addGroups', groupIds }, people, { groups }).changes).flat();
      const sizes = calls.map((call) =>
        call.kind === 'assign'
          ? call.pairings.reduce((sum, pairing) => sum + pairing.userIds.length * pairing.groupIds.length, 0)
          : 0,
      );
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(MOST_PAIRS);
      expect(Math.min(MOST_PAIRS, ...sizes)).toBeGreaterThan(0);
      expect(sizes.reduce((sum, one) => sum + one, 0)).toBe(users * size - Math.ceil(users / 3));
    }),
    { numRuns: 15 },
  );
});

test('the billable delta is that of the people', () => {
  const people = [1, 2, 3, 4].map((id) => person(id, { licenseTypeId: id }));
  const delta = (action: BulkAction) => billableDelta(planOf(action, people).changes);
  expect(delta({ kind: 'license', licenseTypeId: 3 })).toBe(-2);
  expect(delta({ kind: 'license', licenseTypeId: 1 })).toBe(2);
  expect(delta({ kind: 'remove' })).toBe(-2);
  expect(delta({ kind: 'deactivate' })).toBe(0);
});

const why = (plan: Plan) => plan.refused.map(({ person: { id }, why: reason }) => [id, reason]);

test('nobody shuts themselves out in passing', () => {
  const me = { me: 1 };
  const people = [person(1), person(2)];
  for (const action of [
    { kind: 'deactivate' },
    { kind: 'remove' },
    { kind: 'license', licenseTypeId: 4 },
    { kind: 'addressesOn' },
  ] as const) {
    const plan = planOf(action, people, me);
    expect(why(plan)).toEqual([[1, expect.stringMatching(/^This is you: /)]]);
    expect(plan.changes).toHaveLength(1);
  }
  expect(planOf({ kind: 'license', licenseTypeId: 2 }, people, me).changes).toHaveLength(2);
});

test('who may do more is left alone, but for what does not touch how they sign in', () => {
  const groups = new Map([
    [1, { name: 'Administrators', capabilities: ALL }],
    [2, { name: 'Readers', capabilities: ['Read Data'] as const }],
  ]);
  const own: Partial<Rules> = { held: ['Manage Users', 'Manage Groups', 'Read Data'], groups };
  const people = [person(1, { groups: [1] }), person(2, { groups: [2] })];
  const plan = planOf({ kind: 'deactivate' }, people, own);
  expect(why(plan)).toEqual([[1, expect.stringContaining('May do more than you')]]);
  expect(planOf({ kind: 'license', licenseTypeId: 2 }, people, own).refused).toEqual([]);
  expect(why(planOf({ kind: 'addGroups', groupIds: [1] }, people, own))).toEqual([
    [2, expect.stringContaining('which you do not have')],
  ]);
  expect(why(planOf({ kind: 'addGroups', groupIds: [9] }, people, own))).toHaveLength(2);
});

test('a missing capability refuses everybody with its reason', () => {
  const plan = planOf({ kind: 'deactivate' }, [person(1), person(2, { isActive: false })], {
    lacks: 'Needs it',
  });
  expect([plan.changes, plan.same.length, why(plan)]).toEqual([[], 1, [[1, 'Needs it']]]);
});

test('the last administrator stays one: who works here, else the last of them', () => {
  const groups = new Map([[1, { name: 'Administrators', capabilities: ALL }]]);
  const people = [person(1, { groups: [1] }), person(2, { groups: [1] }), person(3, { groups: [1] })];
  const action = { kind: 'removeGroups', groupIds: [1] } as const;
  const plan = (administrators: number[], me: number) =>
    planOf(action, people, { groups, me, administrators: new Set(administrators) });
  expect(why(plan([1, 2], 1))).toEqual([[1, 'Would leave no administrator who can sign in']]);
  expect(why(plan([1, 2], 7))).toEqual([[2, 'Would leave no administrator who can sign in']]);
  expect(why(plan([1, 2, 9], 1))).toEqual([]);
});
