import 'fake-indexeddb/auto';
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Filters } from './facets.ts';
import { openKeeper } from './keeper.ts';
import { wordsOf } from './glance.ts';
import type { Status } from './keeper.ts';
import { ada, minutesAgo, people, serve, service, user } from './service.fixture.ts';
import { lookBack, openStore } from './store.ts';

const NONE: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };
const EVERYBODY = { q: '', filters: NONE, sort: { by: 'id', descending: false } } as const;
const MINUTE = 60_000;
let stop: () => void;

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
  stop = serve();
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A tab of the console, with what it was told. */
async function open(holder = ada) {
  const told: Status[] = [];
  const keeper = await openKeeper(holder, (status) => told.push(status));
  return {
    keeper,
    told,
    now: () => told.at(-1),
    find: async (q: string) => [...(await keeper.search({ ...EVERYBODY, q }, 0)).ids],
    rows: (...ids: number[]) => keeper.rowsOf(Int32Array.from(ids)),
  };
}

/** Lets time pass without waiting for it. */
const pass = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });

test('everybody is read by pages, and what is there can be used before the last', async () => {
  service.users = people(2500);
  const { keeper, told, now, find, rows } = await open();
  expect(await keeper.bringUpToDate('due')).toBeUndefined();
  const sizes = told.map(({ size, complete }) => [size, complete]);
  expect(sizes).toContainEqual([1000, false]);
  expect(now()).toMatchObject({ size: 2500, billable: 2500, complete: true, reading: false });
  expect(told.find(({ groups }) => groups?.length === 1)?.groups).toMatchObject([{ name: 'Analysts' }]);
  expect(await find('user2500')).toEqual([2500]);
  expect((await rows(2499, 1, 9999)).map(({ id, licenseTypeId }) => [id, licenseTypeId])).toEqual([
    [2499, 2],
    [1, 2],
  ]);
});

test('the next visit has everybody before the service is asked', async () => {
  service.users = people(1500);
  await (await open()).keeper.bringUpToDate('due');
  service.asked.length = 0;
  const { keeper, told, now, find } = await open();
  expect(await find('user1500')).toEqual([1500]);
  expect(now()).toMatchObject({ size: 1500, complete: true });
  expect(told.find(({ groups }) => groups?.length === 1)?.groups).toMatchObject([{ name: 'Analysts' }]);
  expect(service.asked).toEqual([]);
  // It was brought up to date just now, in another tab or before a reload.
  await keeper.bringUpToDate('due');
  expect(service.asked).toEqual([]);
});

test('afterwards only what has changed is read, with the licenses of those alone', async () => {
  service.users = people(30);
  const { keeper, rows, now } = await open();
  await keeper.bringUpToDate('due');
  const version = now()?.version ?? 0;
  service.asked.length = 0;
  service.users = [...people(29), user(30, minutesAgo(0), 'Renamed'), user(31, minutesAgo(0))];
  await keeper.bringUpToDate('changes');
  expect((await rows(30, 31)).map(({ name }) => name)).toEqual(['Some Renamed', 'Some Person']);
  expect(service.asked.toSorted()).toEqual(['30', '31', 'group', 'session', 'user since']);
  expect(now()?.version).toBeGreaterThan(version);
  const again = await open();
  expect((await again.rows(30, 31)).map(({ name }) => name)).toEqual(['Some Renamed', 'Some Person']);
});

test('many who changed are asked for their licenses by the pages they stand on', async () => {
  service.users = people(3000);
  const { keeper, rows } = await open();
  await keeper.bringUpToDate('due');
  service.asked.length = 0;
  service.users = service.users.map((one) =>
    one.id > 2100 && one.id <= 2150 ? user(one.id, minutesAgo(0), 'Changed') : one,
  );
  await keeper.bringUpToDate('changes');
  expect(service.asked.filter((path) => path === 'userLicenses')).toHaveLength(1);
  expect(service.asked).toHaveLength(4);
  expect((await rows(2101))[0]?.licenseTypeId).toBe(2);
});

test('who was removed is found out by reading everything again, and is gone at the next visit too', async () => {
  service.users = people(1200);
  const { keeper, now, find } = await open();
  await keeper.bringUpToDate('due');
  service.users = service.users.slice(1);
  await keeper.bringUpToDate('changes');
  expect(await find('id:1')).toEqual([1]);
  pass(11 * MINUTE);
  await keeper.bringUpToDate('due');
  expect(await find('id:1')).toEqual([]);
  expect(now()?.size).toBe(1199);
  const next = await open();
  expect(await next.find('id:1')).toEqual([]);
  expect(next.now()?.size).toBe(1199);
});

test('the next visit begins with what this one looked at, before everybody is in order', async () => {
  service.users = people(2500);
  const { keeper, find, now } = await open();
  await keeper.bringUpToDate('due');
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await find('');
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  await expect.poll(async () => (await lookBack(ada))?.glance.size).toBe(2500);
  const seen = await lookBack(ada);
  expect(seen?.glance).toMatchObject({ words: wordsOf(EVERYBODY), changed: now()?.version });
  expect(seen?.glance.ids).toHaveLength(2500);
  expect(seen?.glance.rows[0]?.name).toBe('Some Person');
  expect(seen?.glance.rows).toHaveLength(100);
  // Nobody else is shown it.
  expect(await lookBack({ ...ada, userId: 2 })).toBeUndefined();
  // The worker of the next visit says the same number: the rows on screen stay. After a change it says another one.
  const next = await open();
  await next.find('');
  expect(next.now()?.version).toBe(seen?.glance.changed);
  service.users = [...service.users, user(2501, minutesAgo(0))];
  await next.keeper.bringUpToDate('changes');
  expect(next.now()?.version).not.toBe(seen?.glance.changed);
});

test('of those who match, the ones whose name begins so come first', async () => {
  service.users = [
    { ...user(1), firstName: 'Abel', lastName: 'Jonas' },
    { ...user(2), firstName: 'Bo', lastName: 'Jo' },
    { ...user(3), firstName: 'Jörg', lastName: 'Zimmer' },
    { ...user(4), firstName: 'Joan', lastName: 'Abbot' },
    { ...user(5), firstName: 'Zoe', lastName: 'Jolly' },
  ];
  const { keeper } = await open();
  await keeper.bringUpToDate('due');
  expect((await keeper.findBest('jo', 4)).map(({ id }) => id)).toEqual([4, 3, 1, 2]);
  expect((await keeper.findBest('id:5', 4)).map(({ id }) => id)).toEqual([5]);
});

test('whoever wishes it has everything read at once', async () => {
  service.users = people(3);
  const { keeper, now } = await open();
  await keeper.bringUpToDate('due');
  service.users = people(2);
  pass(1000);
  await keeper.bringUpToDate('everything');
  expect(now()?.size).toBe(2);
});

test('who is forgotten is gone at once, here and at the next visit', async () => {
  service.users = people(3);
  const { keeper, find } = await open();
  await keeper.bringUpToDate('due');
  await keeper.forget([2]);
  expect(await find('')).toEqual([1, 3]);
  expect(await (await open()).find('')).toEqual([1, 3]);
});

test('nothing of one person, site or name is there for another', async () => {
  service.users = people(3);
  await (await open()).keeper.bringUpToDate('due');
  service.users = [];
  for (const holder of [
    { userId: 2, siteId: 1 },
    { userId: 1, siteId: 2 },
    { ...ada, reportId: 5 },
  ]) {
    const { keeper, now } = await open(holder);
    expect(now()).toBeUndefined();
    service.session = holder;
    await keeper.bringUpToDate('due');
    expect(now()).toMatchObject({ size: 0, complete: true });
  }
  expect((await open()).now()).toBeUndefined();
});

test('what was read after the session became somebody else’s is thrown away', async () => {
  service.users = people(3);
  const { keeper } = await open();
  service.session = { userId: 9, siteId: 2 };
  expect(await keeper.bringUpToDate('due')).toMatchObject({ status: 401 });
  expect((await open()).now()).toBeUndefined();
  service.session = { ...ada, reportId: 5 };
  expect(await keeper.bringUpToDate('due')).toMatchObject({ status: 409 });
  expect((await open()).now()).toBeUndefined();
});

test('a second tab takes what the first one reads, and asks nothing itself', async () => {
  service.users = people(2500);
  const first = await open();
  const second = await open();
  const reading = first.keeper.bringUpToDate('due');
  await second.keeper.bringUpToDate('due');
  await reading;
  expect(service.asked.filter((path) => path === 'session')).toHaveLength(1);
  expect(second.now()).toMatchObject({ size: 2500, complete: true });
  service.users = service.users.with(4, user(5, minutesAgo(0), 'Elsewhere'));
  await first.keeper.bringUpToDate('changes');
  await first.keeper.forget([6]);
  await expect.poll(() => second.find('elsewhere')).toEqual([5]);
  await expect.poll(() => second.find('id:6')).toEqual([]);
});

test('a tab whose database is deleted goes on in memory, and keeps nothing any more', async () => {
  service.users = people(3);
  const { keeper, find } = await open();
  await keeper.bringUpToDate('due');
  await new Promise((resolve) => {
    indexedDB.deleteDatabase('steward-directory').addEventListener('success', resolve);
  });
  expect(await find('')).toEqual([1, 2, 3]);
  service.users = people(4);
  pass(1000);
  await keeper.bringUpToDate('everything');
  expect(await find('')).toEqual([1, 2, 3, 4]);
  const store = await openStore(ada);
  expect(await store.read(0)).toBeUndefined();
  store.close();
});

test('a browser without room, or without a database at all, has the directory in memory', async () => {
  service.users = people(1500);
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('No room', 'QuotaExceededError');
  });
  const full = await open();
  expect(await full.keeper.bringUpToDate('due')).toBeUndefined();
  expect(full.now()).toMatchObject({ size: 1500, complete: true });
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
    throw new DOMException('Not here', 'SecurityError');
  });
  const none = await open();
  expect(await none.keeper.bringUpToDate('due')).toBeUndefined();
  expect(none.now()).toMatchObject({ size: 1500, complete: true });
});

test('a refusal is told, what is there stays, and the next try goes on', async () => {
  service.users = people(3);
  const { keeper, find, now } = await open();
  service.refusal = 403;
  expect(await keeper.bringUpToDate('due')).toMatchObject({ status: 403, message: 'No' });
  expect(now()).toMatchObject({ size: undefined, reading: false });
  service.refusal = 0;
  expect(await keeper.bringUpToDate('due')).toBeUndefined();
  service.refusal = 401;
  expect(await keeper.bringUpToDate('changes')).toMatchObject({ status: 401 });
  expect(await find('')).toEqual([1, 2, 3]);
});
