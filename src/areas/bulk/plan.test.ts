import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { capabilities } from '../../../contract/rules/capabilities.ts';
import type { BulkAction, BulkRequest } from './bulk-request.ts';
import type { PersonChange, Person, PersonState } from './person.ts';
import { buildInverse, billableDelta, createPlanner } from './plan.ts';
import type { BulkPlan, PlanRules } from './plan.ts';
import { planRequests, MAX_PAIRS_PER_REQUEST } from './planned-requests.ts';
import type { PlannedRequest } from './planned-requests.ts';

const GROUPS = [1, 2, 3, 4, 5, 6];
const ALL = capabilities.map(({ name }) => name);
const rules: PlanRules = {
  ownUserId: -1,
  ownCapabilities: ALL,
  groups: new Map(GROUPS.map((id) => [id, { name: `Group ${id}`, capabilities: [] }])),
};

function createPlan(
  action: BulkAction,
  people: readonly Person[],
  ruleOverrides: Partial<PlanRules> = {},
): BulkPlan {
  const planner = createPlanner(action, { ...rules, ...ruleOverrides });
  planner.add(people);
  return planner.end();
}

const person = (id: number, state: Partial<PersonState> = {}): Person => ({
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
  timeZone: null,
  ...state,
});

const timeZone = fc.constantFrom(null, 'Europe/Lisbon', 'America/St_Johns');
const personState = fc.record({
  isActive: fc.boolean(),
  licenseTypeId: fc.integer({ min: 1, max: 4 }),
  groups: fc.uniqueArray(fc.constantFrom(...GROUPS)),
  twoFactor: fc.boolean(),
  approvedAddresses: fc.boolean(),
  timeZone,
});
const somePeople = fc
  .array(personState, { minLength: 1, maxLength: 40 })
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
  timeZone.map((zone): BulkAction => ({ kind: 'timeZone', timeZone: zone })),
  fc
    .array(fc.record({ userId: fc.integer({ min: 1, max: 40 }), timeZone }))
    .map((each): BulkAction => ({ kind: 'timeZones', each })),
  someGroups.map((groupIds): BulkAction => ({ kind: 'addGroups', groupIds })),
  someGroups.map((groupIds): BulkAction => ({ kind: 'removeGroups', groupIds })),
  fc.record({ kind: fc.constant('pairs' as const), add: somePairs, remove: somePairs }),
);

type Site = Map<number, PersonState>;
const toSite = (people: readonly Person[]): Site => new Map(people.map((one) => [one.id, one]));
const withSortedGroups = (state: PersonState | undefined) =>
  state && { ...pickState(state), groups: [...state.groups].toSorted((a, b) => a - b) };
const pickState = ({
  isActive,
  licenseTypeId: license,
  groups,
  twoFactor,
  approvedAddresses,
  timeZone: zone,
}: PersonState): PersonState => ({
  isActive,
  licenseTypeId: license,
  groups,
  twoFactor,
  approvedAddresses,
  timeZone: zone,
});

/** Applies a request as the service does (spec 4.2): PUT adds, DELETE removes, switches only turn on. */
function applyRequest(site: Site, call: PlannedRequest): void {
  const at = (id: number): PersonState => {
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
      timeZone: call.set.timeZone === undefined ? before.timeZone : call.set.timeZone,
    });
  } else
    for (const { userIds, groupIds } of call.pairings)
      for (const userId of userIds) {
        const { groups, ...rest } = at(userId);
        const remaining = groups.filter((id) => !groupIds.includes(id));
        site.set(userId, {
          ...rest,
          groups: call.kind === 'assign' ? [...remaining, ...groupIds] : remaining,
        });
      }
}

function applyAll(site: Site, changes: readonly PersonChange[]): void {
  for (const call of planRequests(changes).flat()) applyRequest(site, call);
}

test('predicts the state of every user after the requests', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes, unchanged, refused } = createPlan(action, people);
      const site = toSite(people);
      applyAll(site, changes);
      for (const {
        person: { id },
        after,
      } of changes)
        expect(withSortedGroups(site.get(id))).toEqual(withSortedGroups(after));
      for (const one of [...unchanged, ...refused.map((each) => each.person)])
        expect(withSortedGroups(site.get(one.id))).toEqual(withSortedGroups(one));
      expect(changes.length + unchanged.length + refused.length).toBe(people.length);
    }),
  );
});

const NOTHING: BulkRequest = { action: { kind: 'activate' }, userIds: [] };

test('restores the previous state by the inverse, where there is one', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes } = createPlan(action, people);
      const { action: back, userIds } = buildInverse(changes) ?? NOTHING;
      const oneWay = changes.length === 0 || ['twoFactorOn', 'addressesOn', 'remove'].includes(action.kind);
      expect(back === NOTHING.action).toBe(oneWay);
      const site = toSite(oneWay ? [] : people);
      applyAll(site, oneWay ? [] : changes);
      const now = people.map((one) => ({ ...one, ...site.get(one.id) }));
      applyAll(
        site,
        createPlan(
          back,
          now.filter(({ id }) => userIds.includes(id)),
        ).changes,
      );
      for (const [id, state] of site)
        expect(withSortedGroups(state)).toEqual(withSortedGroups(people.find((one) => one.id === id)));
    }),
  );
});

test('makes no request for users already in the target state; a second run does nothing', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes } = createPlan(action, people);
      const site = toSite(people);
      applyAll(site, changes);
      const now = people.flatMap((one) => {
        const state = site.get(one.id);
        return state ? [{ ...one, ...state }] : [];
      });
      expect(planRequests(createPlan(action, now).changes)).toEqual([]);
    }),
  );
});

test('keeps each request within 1,000 pairs, without duplicates', () => {
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
      const calls = planRequests(
        createPlan({ kind: 'addGroups', groupIds }, people, { groups }).changes,
      ).flat();
      const sizes = calls.map((call) =>
        call.kind === 'assign'
          ? call.pairings.reduce((sum, pairing) => sum + pairing.userIds.length * pairing.groupIds.length, 0)
          : 0,
      );
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(MAX_PAIRS_PER_REQUEST);
      expect(Math.min(MAX_PAIRS_PER_REQUEST, ...sizes)).toBeGreaterThan(0);
      expect(sizes.reduce((sum, one) => sum + one, 0)).toBe(users * size - Math.ceil(users / 3));
    }),
    { numRuns: 15 },
  );
});

test('computes the difference in billable licenses', () => {
  const people = [1, 2, 3, 4].map((id) => person(id, { licenseTypeId: id }));
  const delta = (action: BulkAction) => billableDelta(createPlan(action, people).changes);
  expect(delta({ kind: 'license', licenseTypeId: 3 })).toBe(-2);
  expect(delta({ kind: 'license', licenseTypeId: 1 })).toBe(2);
  expect(delta({ kind: 'remove' })).toBe(-2);
  expect(delta({ kind: 'deactivate' })).toBe(0);
});

const getRefusals = (plan: BulkPlan) => plan.refused.map(({ person: { id }, why: reason }) => [id, reason]);

test('refuses changes with which users would lock themselves out', () => {
  const self = { ownUserId: 1 };
  const people = [person(1), person(2)];
  for (const action of [
    { kind: 'deactivate' },
    { kind: 'remove' },
    { kind: 'license', licenseTypeId: 4 },
    { kind: 'addressesOn' },
  ] as const) {
    const plan = createPlan(action, people, self);
    expect(getRefusals(plan)).toEqual([[1, expect.stringMatching(/^This is you: /)]]);
    expect(plan.changes).toHaveLength(1);
  }
  expect(createPlan({ kind: 'license', licenseTypeId: 2 }, people, self).changes).toHaveLength(2);
});

test('refuses changes to the sign-in of users with more capabilities', () => {
  const groups = new Map([
    [1, { name: 'Administrators', capabilities: ALL }],
    [2, { name: 'Readers', capabilities: ['Read Data'] as const }],
  ]);
  const own: Partial<PlanRules> = { ownCapabilities: ['Manage Users', 'Manage Groups', 'Read Data'], groups };
  const people = [person(1, { groups: [1] }), person(2, { groups: [2] })];
  const plan = createPlan({ kind: 'deactivate' }, people, own);
  expect(getRefusals(plan)).toEqual([[1, expect.stringContaining('Has more capabilities than you')]]);
  expect(createPlan({ kind: 'license', licenseTypeId: 2 }, people, own).refused).toEqual([]);
  expect(getRefusals(createPlan({ kind: 'addGroups', groupIds: [1] }, people, own))).toEqual([
    [2, expect.stringContaining('which you do not have')],
  ]);
  expect(getRefusals(createPlan({ kind: 'addGroups', groupIds: [9] }, people, own))).toHaveLength(2);
});

test('refuses everyone for a missing capability', () => {
  const plan = createPlan({ kind: 'deactivate' }, [person(1), person(2, { isActive: false })], {
    blockedReason: 'Needs it',
  });
  expect([plan.changes, plan.unchanged.length, getRefusals(plan)]).toEqual([[], 1, [[1, 'Needs it']]]);
});

test('keeps the last administrator: oneself, otherwise the last in the list', () => {
  const groups = new Map([[1, { name: 'Administrators', capabilities: ALL }]]);
  const people = [person(1, { groups: [1] }), person(2, { groups: [1] }), person(3, { groups: [1] })];
  const action = { kind: 'removeGroups', groupIds: [1] } as const;
  const plan = (administrators: number[], me: number) =>
    createPlan(action, people, { groups, ownUserId: me, administrators: new Set(administrators) });
  expect(getRefusals(plan([1, 2], 1))).toEqual([[1, 'Would leave no administrator who can sign in']]);
  expect(getRefusals(plan([1, 2], 7))).toEqual([[2, 'Would leave no administrator who can sign in']]);
  expect(getRefusals(plan([1, 2, 9], 1))).toEqual([]);
});
