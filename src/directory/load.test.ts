import { afterEach, beforeEach, expect, test } from 'vitest';
import { client } from '../api/generated/client.gen.ts';
import type { UserInfoResponse } from '../api/generated/types.gen.ts';
import { readAgain } from './load.ts';
import type { Snapshot } from './load.ts';

const asked: string[] = [];
let users: UserInfoResponse[] = [];
const before = client.getConfig().fetch;
const signal = new AbortController().signal;

const user = (id: number, modifiedDate: string, lastName = 'Person'): UserInfoResponse => ({
  id,
  email: `user${id}@northlight.example`,
  firstName: 'Some',
  lastName,
  isActive: true,
  isLocked: false,
  groups: [],
  createdDate: modifiedDate,
  modifiedDate,
  createdBy: null,
  modifiedBy: null,
  twoFactorEnabled: false,
  ipRestrictionsEnabled: false,
});
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const licenseOf = ({ id }: { id: number }) => ({
  userId: id,
  licenseTypeId: 2,
  description: 'Limited',
  isBillable: true,
});

/** The three lists and the license of one user, by page, as the contract says them. */
function answer(url: URL): unknown {
  const page = Number(url.searchParams.get('pageNumber'));
  const window = <Item>(items: Item[]) => items.slice((page - 1) * 1000, page * 1000);
  const since = url.searchParams.get('modifiedSince');
  if (url.pathname.endsWith('/user/group')) return window([{ id: 7, name: 'Analysts', userCount: 1 }]);
  if (url.pathname.endsWith('/userLicenses')) return window(users.map(licenseOf));
  if (url.pathname.endsWith('/user'))
    return window(users.filter(({ modifiedDate }) => since === null || modifiedDate >= since));
  return licenseOf({ id: Number(url.pathname.split('/').at(-1)) });
}

beforeEach(() => {
  asked.length = 0;
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (request) => {
      const url = new URL(request instanceof Request ? request.url : request);
      asked.push(url.pathname.split('/').at(-1) + (url.searchParams.has('modifiedSince') ? ' since' : ''));
      return Response.json(answer(url));
    },
  });
});
afterEach(() => {
  client.setConfig({ fetch: before });
});

const read = (known?: Snapshot, parts: Snapshot[] = []) =>
  readAgain(known, signal, (part) => parts.push(part));

test('everybody is read by pages, and what is there can be used before the last', async () => {
  users = Array.from({ length: 2500 }, (_, at) => user(at + 1, minutesAgo(60)));
  const parts: Snapshot[] = [];
  const all = await read(undefined, parts);
  expect(parts.map(({ rows, complete }) => [rows.length, complete])).toEqual([
    [1000, false],
    [2000, false],
  ]);
  expect(parts[0]?.rows[0]?.licenseTypeId).toBe(2);
  expect(all).toMatchObject({ complete: true, groups: [{ name: 'Analysts' }] });
  expect(all.rows).toHaveLength(2500);
});

test('afterwards only what has changed is read, with the licenses of those alone', async () => {
  users = Array.from({ length: 30 }, (_, at) => user(at + 1, minutesAgo(60)));
  const known = await read();
  asked.length = 0;
  users = [...users.slice(0, 29), user(30, minutesAgo(0), 'Renamed'), user(31, minutesAgo(0))];
  // Otherwise all of them would lie within the overlap of the newest known.
  users = users.map((one) => (one.id < 30 ? { ...one, modifiedDate: minutesAgo(120) } : one));
  const next = await read(known);
  expect(next.rows).toHaveLength(31);
  expect(next.rows.find(({ id }) => id === 30)?.name).toBe('Some Renamed');
  expect(next.rows[0]).toBe(known.rows[0]);
  expect(asked.toSorted()).toEqual(['30', '31', 'group', 'user since']);
});

test('who was removed is found out by reading everything again, without showing parts', async () => {
  users = Array.from({ length: 1200 }, (_, at) => user(at + 1, minutesAgo(60)));
  const known = await read();
  users = users.slice(1);
  expect((await read(known)).rows).toHaveLength(1200);
  const parts: Snapshot[] = [];
  expect((await read({ ...known, reconcile: true }, parts)).rows).toHaveLength(1199);
  expect(parts).toEqual([]);
});
