import 'fake-indexeddb/auto';
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DirectoryQuery, Filters, SortKey } from './engine/directory-query.ts';
import { openReplicaApi } from './replica-api.ts';
import type { ReplicaApi, ReplicaStatus } from './replica-api.ts';
import { serializeQuery, readSnapshots, openReplicaStore } from './replica-store.ts';
import { ada, minutesAgo, people, serve, service, user } from './service.fixture.ts';

const NONE: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };
const EVERYBODY = { q: '', filters: NONE, sort: { by: 'id', descending: false } } as const;
const MINUTE = 60_000;
let stop: () => void;

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  stop = serve();
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Opens the replica as a tab of the console does, and records the statuses it receives. */
async function open(identity = ada) {
  const statuses: ReplicaStatus[] = [];
  const api = await openReplicaApi(identity, (status) => statuses.push(status));
  return {
    api,
    statuses,
    lastStatus: () => statuses.at(-1),
    find: async (q: string) => [...(await api.search({ ...EVERYBODY, q }, 0)).ids],
    rows: (...ids: number[]) => api.getRows(Int32Array.from(ids)),
  };
}

const sortedBy = (by: SortKey) => ({ ...EVERYBODY, sort: { by, descending: false } });
const countUsable = async () => (await readSnapshots(ada))?.snapshots.length;

/** Searches and waits until the answer is stored for the next visit. */
async function saveSnapshot(api: ReplicaApi, query: DirectoryQuery): Promise<void> {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'], now });
  await api.search(query, 0);
  await vi.runAllTimersAsync();
  vi.useFakeTimers({ toFake: ['Date'], now });
  await expect.poll(async () => (await readSnapshots(ada))?.last.queryKey).toBe(serializeQuery(query));
}

/** Advances the clock. */
const pass = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });

test('reads all users by page and is usable before the last page', async () => {
  service.users = people(2500);
  const { api, statuses, lastStatus, find, rows } = await open();
  expect(await api.refresh('due')).toBeUndefined();
  const sizes = statuses.map(({ size, complete }) => [size, complete]);
  expect(sizes).toContainEqual([1000, false]);
  expect(lastStatus()).toMatchObject({ size: 2500, billable: 2500, complete: true, reading: false });
  expect(statuses.find(({ groups }) => groups?.length === 1)?.groups).toMatchObject([{ name: 'Analysts' }]);
  expect(await find('user2500')).toEqual([2500]);
  expect((await rows(2499, 1, 9999)).map(({ id, licenseTypeId }) => [id, licenseTypeId])).toEqual([
    [2499, 2],
    [1, 2],
  ]);
});

test('the next visit has all users without a call to the service', async () => {
  service.users = people(1500);
  await (await open()).api.refresh('due');
  service.calls.length = 0;
  const { api, statuses, lastStatus, find } = await open();
  expect(await find('user1500')).toEqual([1500]);
  expect(lastStatus()).toMatchObject({ size: 1500, complete: true });
  expect(statuses.find(({ groups }) => groups?.length === 1)?.groups).toMatchObject([{ name: 'Analysts' }]);
  expect(service.calls).toEqual([]);
  // Another tab, or this one before a reload, has just refreshed.
  await api.refresh('due');
  expect(service.calls).toEqual([]);
});

test('a later refresh reads only changed users and their licenses', async () => {
  service.users = people(30);
  const { api, rows, lastStatus } = await open();
  await api.refresh('due');
  const version = lastStatus()?.version ?? 0;
  service.calls.length = 0;
  service.users = [...people(29), user(30, minutesAgo(0), 'Renamed'), user(31, minutesAgo(0))];
  await api.refresh('changes');
  expect((await rows(30, 31)).map(({ name }) => name)).toEqual(['Some Renamed', 'Some Person']);
  expect(service.calls.toSorted()).toEqual(['30', '31', 'group', 'session', 'user since']);
  expect(lastStatus()?.version).toBeGreaterThan(version);
  const again = await open();
  expect((await again.rows(30, 31)).map(({ name }) => name)).toEqual(['Some Renamed', 'Some Person']);
});

test('reads the licenses of many changed users by page', async () => {
  service.users = people(3000);
  const { api, rows } = await open();
  await api.refresh('due');
  service.calls.length = 0;
  service.users = service.users.map((one) =>
    one.id > 2100 && one.id <= 2150 ? user(one.id, minutesAgo(0), 'Changed') : one,
  );
  await api.refresh('changes');
  expect(service.calls.filter((path) => path === 'userLicenses')).toHaveLength(1);
  expect(service.calls).toHaveLength(4);
  expect((await rows(2101))[0]?.licenseTypeId).toBe(2);
});

test('a full read removes deleted users, also for the next visit', async () => {
  service.users = people(1200);
  const { api, lastStatus, find } = await open();
  await api.refresh('due');
  service.users = service.users.slice(1);
  await api.refresh('changes');
  expect(await find('id:1')).toEqual([1]);
  pass(11 * MINUTE);
  await api.refresh('due');
  expect(await find('id:1')).toEqual([]);
  expect(lastStatus()?.size).toBe(1199);
  const next = await open();
  expect(await next.find('id:1')).toEqual([]);
  expect(next.lastStatus()?.size).toBe(1199);
});

test.each([1, 700, 1000])(
  'the first read finds everyone although %i users are removed meanwhile',
  async (removed) => {
    service.users = people(4500);
    const { api, lastStatus, find } = await open();
    service.onCall = ({ pathname, searchParams }) => {
      if (pathname.endsWith('/user') && Number(searchParams.get('pageNumber')) === 3)
        service.users = service.users.filter(({ id }) => id > removed);
    };
    await api.refresh('due');
    expect((await find('')).filter((id) => id > removed)).toHaveLength(4500 - removed);
    expect(lastStatus()?.complete).toBe(true);
  },
);

test('a full read keeps users who moved to a page that was read already', async () => {
  service.users = people(2500);
  const { api, lastStatus, find } = await open();
  await api.refresh('due');
  pass(11 * MINUTE);
  // The first user leaves the site after the first page: user 1001 is then its last one.
  service.onCall = ({ pathname, searchParams }) => {
    if (pathname.endsWith('/user') && searchParams.get('pageNumber') === '2') {
      service.users = service.users.filter(({ id }) => id !== 1);
    }
  };
  await api.refresh('due');
  expect(await find('id:1001')).toEqual([1001]);
  pass(11 * MINUTE);
  await api.refresh('due');
  expect(lastStatus()?.size).toBe(2499);
  expect(await find('id:1')).toEqual([]);
});

test('the next visit reads the users again if the stored ones cannot be read', async () => {
  service.users = people(1500);
  await (await open()).api.refresh('due');
  const getAll = vi.spyOn(IDBObjectStore.prototype, 'getAll');
  getAll.mockImplementation(() => {
    throw new DOMException('Not readable', 'UnknownError');
  });
  const { api, lastStatus } = await open();
  expect(await api.refresh('due')).toBeUndefined();
  expect(lastStatus()).toMatchObject({ size: 1500, complete: true });
});

test('the next visit starts with the snapshot of the last query', async () => {
  service.users = people(2500);
  const { api, lastStatus } = await open();
  await api.refresh('due');
  await saveSnapshot(api, EVERYBODY);
  const stored = await readSnapshots(ada);
  expect(stored?.snapshots).toEqual([stored?.last]);
  expect(stored?.last).toMatchObject({
    queryKey: serializeQuery(EVERYBODY),
    size: 2500,
    changedRevision: lastStatus()?.version,
  });
  expect(stored?.last.ids).toHaveLength(2500);
  expect(stored?.last.rows[0]?.name).toBe('Some Person');
  expect(stored?.last.rows).toHaveLength(100);
  // Not available to another user.
  expect(await readSnapshots({ ...ada, userId: 2 })).toBeUndefined();
  // The worker of the next visit reports the same version, so the rows on screen stay; after a change it reports another.
  const next = await open();
  await next.find('');
  expect(next.lastStatus()?.version).toBe(stored?.last.changedRevision);
  service.users = [...service.users, user(2501, minutesAgo(0))];
  await next.api.refresh('changes');
  expect(next.lastStatus()?.version).not.toBe(stored?.last.changedRevision);
});

test('snapshots of the last five queries are kept', async () => {
  const { api } = await open();
  await api.refresh('due');
  for (const by of ['name', 'email', 'license', 'name', 'status', 'groups', 'created'] as const) {
    pass(MINUTE);
    // Saved one after the other.
    await saveSnapshot(api, sortedBy(by));
  }
  const stored = await readSnapshots(ada);
  expect(stored?.snapshots.map(({ queryKey }) => queryKey)).toEqual(
    (['license', 'name', 'status', 'groups', 'created'] as const).map((by) => serializeQuery(sortedBy(by))),
  );
});

test('snapshots from before the last full read are shown only if no user has changed, or as the last one', async () => {
  service.users = people(3);
  const { api } = await open();
  await api.refresh('due');
  const byName = { ...EVERYBODY, sort: { by: 'name', descending: false } } as const;
  await saveSnapshot(api, EVERYBODY);
  pass(MINUTE);
  await saveSnapshot(api, byName);
  pass(MINUTE);
  expect(await api.refresh('everything')).toBeUndefined();
  expect(await countUsable()).toBe(2);
  service.users = [...service.users, user(4, minutesAgo(0))];
  await api.refresh('changes');
  expect(await countUsable()).toBe(1);
  const stored = await readSnapshots(ada);
  expect(stored?.snapshots).toEqual([stored?.last]);
  expect(stored?.last.queryKey).toBe(serializeQuery(byName));
});

test('sorts names that start with the text before other matches', async () => {
  service.users = [
    { ...user(1), firstName: 'Abel', lastName: 'Jonas' },
    { ...user(2), firstName: 'Bo', lastName: 'Jo' },
    { ...user(3), firstName: 'Jörg', lastName: 'Zimmer' },
    { ...user(4), firstName: 'Joan', lastName: 'Abbot' },
    { ...user(5), firstName: 'Zoe', lastName: 'Jolly' },
  ];
  const { api } = await open();
  await api.refresh('due');
  expect((await api.findBest('jo', 4)).map(({ id }) => id)).toEqual([4, 3, 1, 2]);
  expect((await api.findBest('id:5', 4)).map(({ id }) => id)).toEqual([5]);
});

test('reads all users at once on request', async () => {
  service.users = people(3);
  const { api, lastStatus } = await open();
  await api.refresh('due');
  service.users = people(2);
  pass(1000);
  await api.refresh('everything');
  expect(lastStatus()?.size).toBe(2);
});

test('removed users are gone at once and at the next visit', async () => {
  service.users = people(3);
  const { api, find } = await open();
  await api.refresh('due');
  await api.removeUsers([2]);
  expect(await find('')).toEqual([1, 3]);
  expect(await (await open()).find('')).toEqual([1, 3]);
});

test('does not share data between users, sites or acting identities', async () => {
  service.users = people(3);
  await (await open()).api.refresh('due');
  service.users = [];
  for (const identity of [
    { userId: 2, siteId: 1 },
    { userId: 1, siteId: 2 },
    { ...ada, reportId: 5 },
  ]) {
    const { api, lastStatus } = await open(identity);
    expect(lastStatus()).toBeUndefined();
    service.session = identity;
    await api.refresh('due');
    expect(lastStatus()).toMatchObject({ size: 0, complete: true });
  }
  expect((await open()).lastStatus()).toBeUndefined();
});

test('discards data read after the session changed to another identity', async () => {
  service.users = people(3);
  const { api } = await open();
  service.session = { userId: 9, siteId: 2 };
  expect(await api.refresh('due')).toMatchObject({ status: 401 });
  expect((await open()).lastStatus()).toBeUndefined();
  service.session = { ...ada, reportId: 5 };
  expect(await api.refresh('due')).toMatchObject({ status: 409 });
  expect((await open()).lastStatus()).toBeUndefined();
});

test('a second tab uses the data the first one reads without own calls', async () => {
  service.users = people(2500);
  const first = await open();
  const second = await open();
  const reading = first.api.refresh('due');
  await second.api.refresh('due');
  await reading;
  expect(service.calls.filter((path) => path === 'session')).toHaveLength(1);
  expect(second.lastStatus()).toMatchObject({ size: 2500, complete: true });
  service.users = service.users.with(4, user(5, minutesAgo(0), 'Elsewhere'));
  await first.api.refresh('changes');
  await first.api.removeUsers([6]);
  await expect.poll(() => second.find('elsewhere')).toEqual([5]);
  await expect.poll(() => second.find('id:6')).toEqual([]);
});

test('continues in memory after its database was deleted and stores nothing more', async () => {
  service.users = people(3);
  const { api, find } = await open();
  await api.refresh('due');
  await new Promise((resolve) => {
    indexedDB.deleteDatabase('steward-directory').addEventListener('success', resolve);
  });
  expect(await find('')).toEqual([1, 2, 3]);
  service.users = people(4);
  pass(1000);
  await api.refresh('everything');
  expect(await find('')).toEqual([1, 2, 3, 4]);
  const store = await openReplicaStore(ada);
  expect(await store.readChangesAfter(0)).toBeUndefined();
  store.close();
});

test('works in memory without storage space and without IndexedDB', async () => {
  service.users = people(1500);
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('No room', 'QuotaExceededError');
  });
  const full = await open();
  expect(await full.api.refresh('due')).toBeUndefined();
  expect(full.lastStatus()).toMatchObject({ size: 1500, complete: true });
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
    throw new DOMException('Not here', 'SecurityError');
  });
  const none = await open();
  expect(await none.api.refresh('due')).toBeUndefined();
  expect(none.lastStatus()).toMatchObject({ size: 1500, complete: true });
});

test('reports an error, keeps the data and continues with the next refresh', async () => {
  service.users = people(3);
  const { api, find, lastStatus } = await open();
  service.refusal = 403;
  expect(await api.refresh('due')).toMatchObject({ status: 403, message: 'No' });
  expect(lastStatus()).toMatchObject({ size: undefined, reading: false });
  service.refusal = 0;
  expect(await api.refresh('due')).toBeUndefined();
  service.refusal = 401;
  expect(await api.refresh('changes')).toMatchObject({ status: 401 });
  expect(await find('')).toEqual([1, 2, 3]);
});
