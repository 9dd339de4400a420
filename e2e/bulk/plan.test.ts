/** The plan of a bulk change and the calls it turns into, against the service itself. */
import type { APIRequestContext } from '@playwright/test';
import '../../src/api/query-client.ts';
import { client } from '../../src/api/generated/client.gen.ts';
import type { BulkAction } from '../../src/areas/bulk/actions.ts';
import { callsOf } from '../../src/areas/bulk/calls.ts';
import { inverse } from '../../src/areas/bulk/inverse.ts';
import type { Outcome } from '../../src/areas/bulk/outcome.ts';
import { perform } from '../../src/areas/bulk/perform.ts';
import type { Person, State } from '../../src/areas/bulk/person.ts';
import { createPlanner } from '../../src/areas/bulk/plan.ts';
import { readPeople } from '../../src/areas/bulk/read.ts';
import type { Calls } from '../support/calls.ts';
import { expect, test } from '../support/test.ts';

const ME = 0;

/** Lets the console's own client call this service with the session of the test. */
async function connect(url: string, request: APIRequestContext): Promise<void> {
  const { cookies } = await request.storageState();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  client.setConfig({
    baseUrl: `${url}/console`,
    fetch: (input, init) => {
      const call = new Request(input, init);
      call.headers.set('cookie', cookie);
      return fetch(call);
    },
  });
}

const read = (ids: readonly number[]) =>
  readPeople(ids, { licenses: true, size: 1000, signal: new AbortController().signal });

const stateOf = (state: State) => ({
  isActive: state.isActive,
  licenseTypeId: state.licenseTypeId,
  groups: state.groups.toSorted((a, b) => a - b),
  twoFactor: state.twoFactor,
  approvedAddresses: state.approvedAddresses,
});

function plan(action: BulkAction, people: readonly Person[], groupIds: readonly number[]) {
  const groups = new Map(groupIds.map((id) => [id, { name: `${id}`, capabilities: [] }]));
  const planner = createPlanner(action, { me: ME, held: [], groups });
  planner.add(people);
  return planner.end().changes;
}

async function carryOut(changes: ReturnType<typeof plan>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const call of callsOf(changes).flat()) outcomes.push(...(await perform(call, ME)));
  return outcomes;
}

/** Eight people who differ in everything a plan can touch. */
async function variety(calls: Calls, groupIds: readonly number[]): Promise<number[]> {
  const ids: number[] = [];
  for (let bits = 0; bits < 8; bits += 1) {
    const [one, two, three] = [bits % 2 === 1, bits % 4 > 1, bits > 3];
    const { id } = await calls.makeUser({
      isActive: one,
      twoFactorEnabled: two,
      ipRestrictionsEnabled: three,
      groups: groupIds.slice(0, bits % 4),
    });
    await calls.call('PUT', '/userLicense', { userId: id, licenseTypeId: 1 + (bits % 4) });
    ids.push(id);
  }
  return ids;
}

test('what the dry run says is what then happens, and the inverse restores it', async ({
  service,
  request,
  calls,
}) => {
  await connect(service.url, request);
  const groupIds = [];
  for (const name of ['Plan one', 'Plan two', 'Plan three']) groupIds.push(await calls.makeGroup(name, []));
  const [one = 0, two = 0, three = 0] = groupIds;
  const ids = await variety(calls, groupIds);
  const [first = 0, second = 0] = ids;
  const actions: BulkAction[] = [
    { kind: 'deactivate' },
    { kind: 'activate' },
    { kind: 'license', licenseTypeId: 4 },
    { kind: 'license', licenseTypeId: 2 },
    { kind: 'addGroups', groupIds: [one, three] },
    { kind: 'removeGroups', groupIds: [one, two] },
    { kind: 'pairs', add: [{ userId: first, groupId: two }], remove: [{ userId: second, groupId: one }] },
    { kind: 'twoFactorOn' },
    { kind: 'addressesOn' },
    { kind: 'remove' },
  ];
  for (const action of actions) {
    const before = await read(ids);
    const changes = plan(action, before, groupIds);
    expect(changes.length, action.kind).toBeGreaterThan(0);
    expect(
      (await carryOut(changes)).every(({ result }) => result === 'done'),
      action.kind,
    ).toBe(true);
    const planned = new Map<number, State | undefined>(before.map((person) => [person.id, person]));
    for (const { person, after } of changes) planned.set(person.id, after);
    const expected = [...planned.values()].flatMap((state) => (state ? [stateOf(state)] : []));
    const after = await read(ids);
    expect(after.map(stateOf), action.kind).toEqual(expected);

    const back = inverse(changes);
    if (!back) continue;
    const undone = plan(
      back.action,
      after.filter(({ id }) => back.userIds.includes(id)),
      groupIds,
    );
    expect(
      (await carryOut(undone)).every(({ result }) => result === 'done'),
      action.kind,
    ).toBe(true);
    expect((await read(ids)).map(stateOf), action.kind).toEqual(before.map(stateOf));
  }
});

test('who was changed since is left alone; one who is gone spoils no request for the others', async ({
  service,
  request,
  calls,
}) => {
  await connect(service.url, request);
  const groupId = await calls.makeGroup('Plan four', []);
  const ids = await variety(calls, []);
  const [first = 0, second = 0] = ids.filter((_, at) => at % 2 === 1);
  const people = await read(ids);
  const deactivation = plan({ kind: 'deactivate' }, people, []);
  const pairs = plan({ kind: 'addGroups', groupIds: [groupId] }, people, [groupId]);
  await calls.call('PUT', '/user', { id: first, lastName: 'Renamed' });
  await calls.call('DELETE', `/user/${second}`);

  const results = new Map((await carryOut(deactivation)).map(({ userId, result }) => [userId, result]));
  expect([results.get(first), results.get(second)]).toEqual(['conflict', 'conflict']);
  expect([...results.values()].filter((result) => result === 'done')).toHaveLength(2);
  expect((await calls.user(first)).isActive).toBe(true);

  const outcomes = new Map((await carryOut(pairs)).map(({ userId, result }) => [userId, result]));
  expect(outcomes.get(second)).toBe('conflict');
  expect([...outcomes.values()].filter((result) => result === 'done')).toHaveLength(7);
  // Once more: everybody is as planned already.
  const again = await carryOut(pairs);
  expect(again.filter(({ result }) => result === 'done')).toHaveLength(0);
});
