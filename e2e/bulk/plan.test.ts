/** The plan of a bulk change and its job, against the real service. */
import type { APIRequestContext } from '@playwright/test';
import '../../src/api/query-client.ts';
import type { Job, JobItem } from '../../contract/generated/types.gen.ts';
import { client } from '../../src/api/generated/client.gen.ts';
import { getJob, listJobItems, undoJob } from '../../src/api/generated/sdk/jobs.gen.ts';
import type { BulkAction } from '../../src/areas/bulk/bulk-request.ts';
import type { Person, PersonState } from '../../src/areas/bulk/person.ts';
import { createPlanner } from '../../src/areas/bulk/plan.ts';
import { readPeople } from '../../src/areas/bulk/read-people.ts';
import { startBulkJob } from '../../src/areas/bulk/start-job.ts';
import type { ApiCalls } from '../support/calls.ts';
import { expect, test } from '../support/test.ts';

const ME = 0;
const AT_ONCE = { start: {}, onProgress: () => {} };

/** Lets the console's client call this service with the session of the test. */
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
  readPeople(ids, { withLicenses: true, siteUserCount: 1000, signal: new AbortController().signal });

const stateOf = (state: PersonState) => ({
  isActive: state.isActive,
  licenseTypeId: state.licenseTypeId,
  groups: state.groups.toSorted((a, b) => a - b),
  twoFactor: state.twoFactor,
  approvedAddresses: state.approvedAddresses,
  timeZone: state.timeZone,
});

function plan(action: BulkAction, people: readonly Person[], groupIds: readonly number[]) {
  const groups = new Map(groupIds.map((id) => [id, { name: `${id}`, capabilities: [] }]));
  const planner = createPlanner(action, { ownUserId: ME, ownCapabilities: [], groups });
  planner.add(people);
  return planner.end().changes;
}

/** Waits until a job has finished and returns its items. */
async function finish({ id: jobId }: Job): Promise<JobItem[]> {
  await expect.poll(async () => (await getJob({ path: { jobId } })).data.state).toBe('finished');
  return (await listJobItems({ path: { jobId }, query: { pageSize: 1000 } })).data;
}

const runJob = async (action: BulkAction, changes: ReturnType<typeof plan>): Promise<JobItem[]> =>
  finish(await startBulkJob(action, changes, ME, AT_ONCE));

const statesOf = (items: readonly JobItem[]) =>
  new Map(items.map(({ input, state }) => [input['userId'], state]));

/** Eight users with all properties a plan can affect. */
async function variety(calls: ApiCalls, groupIds: readonly number[]): Promise<number[]> {
  const ids: number[] = [];
  for (let bits = 0; bits < 8; bits += 1) {
    const [one, two, three] = [bits % 2 === 1, bits % 4 > 1, bits > 3];
    const { id } = await calls.createUser({
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

test('the dry run predicts the result, and the inverse restores it', async ({ service, request, calls }) => {
  await connect(service.url, request);
  const groupIds = [];
  for (const name of ['Plan one', 'Plan two', 'Plan three']) groupIds.push(await calls.createGroup(name, []));
  const [one = 0, two = 0, three = 0] = groupIds;
  const ids = await variety(calls, groupIds);
  const [first = 0, second = 0] = ids;
  const actions: BulkAction[] = [
    { kind: 'deactivate' },
    { kind: 'activate' },
    { kind: 'license', licenseTypeId: 4 },
    { kind: 'license', licenseTypeId: 2 },
    { kind: 'timeZone', timeZone: 'Asia/Tokyo' },
    { kind: 'addGroups', groupIds: [one, three] },
    { kind: 'removeGroups', groupIds: [one, two] },
    { kind: 'pairs', add: [{ userId: first, groupId: two }], remove: [{ userId: second, groupId: one }] },
    { kind: 'twoFactorOn' },
    { kind: 'addressesOn' },
    { kind: 'remove' },
  ];
  const undoneKinds: string[] = [];
  for (const action of actions) {
    const before = await read(ids);
    const changes = plan(action, before, groupIds);
    expect(changes.length, action.kind).toBeGreaterThan(0);
    const job = await startBulkJob(action, changes, ME, AT_ONCE);
    expect(
      (await finish(job)).map(({ state, reason }) => [state, reason]),
      action.kind,
    ).toEqual(changes.map(() => ['done', null]));
    const planned = new Map<number, PersonState | undefined>(before.map((person) => [person.id, person]));
    for (const { person, after } of changes) planned.set(person.id, after);
    const expected = [...planned.values()].flatMap((state) => (state ? [stateOf(state)] : []));
    const after = await read(ids);
    expect(after.map(stateOf), action.kind).toEqual(expected);

    if ((await getJob({ path: { jobId: job.id } })).data.undoUntil === null) continue;
    const undone = await finish((await undoJob({ path: { jobId: job.id } })).data);
    expect(
      undone.map(({ state, reason }) => [state, reason]),
      action.kind,
    ).toEqual(changes.map(() => ['done', null]));
    expect((await read(ids)).map(stateOf), action.kind).toEqual(before.map(stateOf));
    undoneKinds.push(action.kind);
  }
  expect(undoneKinds).toEqual([
    'deactivate',
    'activate',
    'license',
    'license',
    'timeZone',
    'addGroups',
    'removeGroups',
    'pairs',
  ]);
});

test('skips users changed since, and deleted users do not fail the others', async ({
  service,
  request,
  calls,
}) => {
  await connect(service.url, request);
  const groupId = await calls.createGroup('Plan four', []);
  const ids = await variety(calls, []);
  const [first = 0, second = 0] = ids.filter((_, at) => at % 2 === 1);
  const people = await read(ids);
  const deactivation = plan({ kind: 'deactivate' }, people, []);
  await calls.call('PUT', '/user', { id: first, lastName: 'Renamed' });
  await calls.call('DELETE', `/user/${second}`);

  const states = statesOf(await runJob({ kind: 'deactivate' }, deactivation));
  expect([states.get(first), states.get(second)]).toEqual(['conflict', 'conflict']);
  expect([...states.values()].filter((state) => state === 'done')).toHaveLength(2);
  expect((await calls.getUser(first)).isActive).toBe(true);

  const addGroup: BulkAction = { kind: 'addGroups', groupIds: [groupId] };
  const removed = plan(addGroup, people, [groupId]).filter(({ person: { id } }) => id === second);
  const additions = [...plan(addGroup, await read(ids), [groupId]), ...removed];
  const outcomes = statesOf(await runJob(addGroup, additions));
  expect(outcomes.get(second)).toBe('conflict');
  expect([...outcomes.values()].filter((state) => state === 'done')).toHaveLength(7);
  // Again: the users have been changed since.
  expect([...statesOf(await runJob(addGroup, additions)).values()]).toEqual(additions.map(() => 'conflict'));
});

test('a plan of more than 100,000 people is sent in parts and waits for its time', async ({
  service,
  request,
  calls,
}) => {
  await connect(service.url, request);
  const { id } = await calls.createUser();
  const [person] = await read([id]);
  if (!person) throw new Error('The user is missing');
  const people = Array.from({ length: 100_001 }, (_, at) => ({
    ...person,
    id: at === 0 ? id : 1_000_000 + at,
  }));
  const shares: number[] = [];
  const notBefore = new Date(Date.now() + 86_400_000).toISOString();
  const job = await startBulkJob({ kind: 'deactivate' }, plan({ kind: 'deactivate' }, people, []), ME, {
    start: { notBefore },
    onProgress: (share) => shares.push(share),
  });
  expect(shares).toEqual([0, 0.5, 1]);
  expect(job).toMatchObject({
    state: 'waiting',
    total: 100_001,
    notBefore,
    title: 'Deactivate 100,001 people',
  });
  await calls.call('POST', `/jobs/${job.id}/cancel`);
  expect((await calls.getUser(id)).isActive).toBe(true);
});
