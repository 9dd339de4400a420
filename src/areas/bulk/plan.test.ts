import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { capabilities } from '../../../contract/rules/people/capabilities.ts';
import type { BulkAction } from './bulk-request.ts';
import type { PersonChange, Person, PersonState } from './person.ts';
import { billableDelta, createPlanner } from './plan.ts';
import type { BulkPlan, PlanRules } from './plan.ts';
import { buildReviewRequest } from './review-job.ts';
import { buildJobRequest } from './start-job.ts';
import type { JobRequest } from './start-job.ts';

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

/** Applies a job as the service does: it leaves users alone who are in the target state, and switches only turn on. */
function applyJob(site: Site, { operation, body }: JobRequest): void {
  const change = (id: number, toState: (before: PersonState) => Partial<PersonState>) => {
    const state = site.get(id);
    if (!state) throw new Error(`404: user ${id}`);
    site.set(id, { ...state, ...toState(state) });
  };
  if (operation === 'startUserRemovals') for (const id of body.userIds) site.delete(id);
  else if (operation === 'startLicenseChanges')
    for (const { userId, licenseTypeId: license } of body.licenses)
      change(userId, () => ({ licenseTypeId: license }));
  else if (operation === 'startUserUpdates')
    for (const id of body.userIds)
      change(id, (before) => ({
        isActive: body.isActive ?? before.isActive,
        twoFactor: body.twoFactorEnabled ?? before.twoFactor,
        approvedAddresses: body.ipRestrictionsEnabled ?? before.approvedAddresses,
        timeZone: body.timeZone === undefined ? before.timeZone : body.timeZone,
      }));
  else
    for (const { userId, add = [], remove = [] } of body.memberships)
      change(userId, ({ groups }) => ({
        groups: [...new Set([...groups.filter((id) => !remove.includes(id)), ...add])],
      }));
}

const OWN_USER_ID = 3;

function applyChanges(site: Site, action: BulkAction, changes: readonly PersonChange[]): void {
  if (changes.length > 0) applyJob(site, buildJobRequest(action, changes, OWN_USER_ID));
}

test('predicts the state of every user after the job', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes, unchanged, refused } = createPlan(action, people);
      const site = toSite(people);
      applyChanges(site, action, changes);
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

test('plans nothing for users already in the target state; a second run does nothing', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes } = createPlan(action, people);
      const site = toSite(people);
      applyChanges(site, action, changes);
      const now = people.flatMap((one) => {
        const state = site.get(one.id);
        return state ? [{ ...one, ...state }] : [];
      });
      expect(createPlan(action, now).changes).toEqual([]);
    }),
  );
});

const changeDate = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2030-01-01T00:00:00Z'),
  noInvalidDate: true,
});

/** Ids of the people of a request, in order. */
const getRequestedIds = ({ body }: JobRequest): number[] => {
  if ('userIds' in body) return body.userIds;
  return ('licenses' in body ? body.licenses : body.memberships).map(({ userId }) => userId);
};

test('requests each person once, the signed-in user last, with the latest change that the review has seen', () => {
  fc.assert(
    fc.property(somePeople, anyAction, fc.array(changeDate), (people, action, dates) => {
      const reviewed = people.map((one, at) => ({
        ...one,
        modified: dates[at]?.toISOString() ?? one.modified,
      }));
      const { changes } = createPlan(action, reviewed);
      fc.pre(changes.length > 0);
      const request = buildJobRequest(action, changes, OWN_USER_ID);
      const ids = getRequestedIds(request);
      expect(ids.toSorted((a, b) => a - b)).toEqual(changes.map(({ person: { id } }) => id));
      expect(ids.includes(OWN_USER_ID) ? ids.at(-1) : OWN_USER_ID).toBe(OWN_USER_ID);
      const times = changes.map(({ person: { modified } }) => Date.parse(modified));
      expect(Date.parse(request.body.reviewedAt ?? '')).toBe(Math.max(...times));
    }),
  );
});

/** The stored job of a request: what applies to all items, and the items. */
function toStoredJob({ operation, body }: JobRequest) {
  if (operation === 'startLicenseChanges')
    return { kind: 'licenses.change', parameters: {}, inputs: body.licenses } as const;
  if (operation === 'startMembershipChanges')
    return { kind: 'groups.change', parameters: {}, inputs: body.memberships } as const;
  const { userIds, ...parameters } = body;
  const kind = operation === 'startUserRemovals' ? 'users.remove' : 'users.update';
  return { kind, parameters, inputs: userIds.map((userId) => ({ userId })) } as const;
}

test('reviews the people of a job again with the same changes', () => {
  fc.assert(
    fc.property(somePeople, anyAction, (people, action) => {
      const { changes } = createPlan(action, people);
      fc.pre(changes.length > 0);
      const { kind, parameters, inputs } = toStoredJob(buildJobRequest(action, changes, OWN_USER_ID));
      const review = buildReviewRequest(
        { kind, parameters },
        inputs.map((input) => ({ ...input })),
      );
      const reviewed = people.filter(({ id }) => review.userIds.includes(id));
      expect(createPlan(review.action, reviewed).changes).toEqual(changes);
    }),
  );
});

test('adds the same groups for all, so that the service can name them', () => {
  const people = [person(1), person(2, { groups: [4] })];
  const action: BulkAction = { kind: 'addGroups', groupIds: [4, 5] };
  expect(buildJobRequest(action, createPlan(action, people).changes, OWN_USER_ID).body).toMatchObject({
    memberships: [1, 2].map((userId) => ({ userId, add: [4, 5], remove: [] })),
  });
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
