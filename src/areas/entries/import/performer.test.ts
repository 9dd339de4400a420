import { afterEach, beforeEach, expect, test } from 'vitest';
import { toServiceError } from '../../../api/errors.ts';
import { client } from '../../../api/generated/client.gen.ts';
import type { RowVm, StoreRequestsVm } from '../../../api/generated/types.gen.ts';
import { begin } from '../../import/keep.ts';
import type { Progress, RowResult } from '../../import/keep.ts';
import type { Planned } from '../../import/plan.ts';
import type { Work } from './check.ts';
import { entriesPerformer } from './performer.ts';
import { piecesOf } from './pieces.ts';

const NAME = 1;
const FIELD = {
  id: NAME,
  entryTypeId: 9,
  apiName: 'Name',
  name: 'Name',
  fieldType: 1,
  isRequired: true,
  isMoney: false,
  isMultiSelect: false,
  isKey: true,
  isDateOnly: false,
  isSearchable: false,
  isOnEntryForm: true,
  isCalculated: false,
  isStoreRequestSupported: true,
};

function row(at: number, name: string, entry?: { id: number; before: string }): Planned<Work> {
  return {
    row: at,
    outcome: entry ? 'update' : 'create',
    id: entry?.id,
    name,
    detail: '',
    changes: [],
    faults: [],
    work: {
      items: [{ fieldId: NAME, value: name }],
      before: entry ? { [NAME]: entry.before } : {},
      ignoreNearDups: false,
    },
  };
}

/** A service that stores a request whole or not at all, as the real one does. */
const site = {
  names: new Map<number, string>(),
  refused: new Set<string>(),
  /** Refuses without saying which. */
  mute: new Set<string>(),
  /** Takes nothing from this person. */
  forbids: false,
  /** Stores, and no answer comes. */
  loses: false,
  sizes: [] as number[],
};

function store({ storeRequests = [] }: StoreRequestsVm): Response {
  site.sizes.push(storeRequests.length);
  if (site.forbids) return Response.json({ message: 'You may not do this' }, { status: 403 });
  const errors = storeRequests.flatMap(({ entryId, value, expected }, at) => {
    if (site.refused.has(String(value)))
      return [{ path: `storeRequests.${at}.value`, message: 'is refused' }];
    const isOther = expected && site.names.get(entryId) !== expected.value;
    return isOther ? [{ path: `storeRequests.${at}.expected`, message: 'holds another' }] : [];
  });
  if (errors.length > 0) return Response.json({ message: 'Invalid', errors }, { status: 400 });
  if (storeRequests.some(({ value }) => site.mute.has(String(value))))
    return Response.json({ message: 'Somehow wrong' }, { status: 409 });
  const results = storeRequests.map(({ entryId, fieldId, value }) => {
    const id = entryId > 0 ? entryId : 100 + site.names.size;
    site.names.set(id, String(value));
    return { entryId: id, rowId: id, fieldId, isNoData: false };
  });
  if (site.loses) throw new TypeError('Failed to fetch');
  return Response.json(results);
}

function query(body: { query?: Record<string, { $in: (string | number)[] }> }): Response {
  const all = [...site.names].map(([EntryId, Name]) => ({ EntryId, Name }));
  const ids = body.query?.['EntryId']?.$in;
  const names = body.query?.['Name']?.$in;
  const rows: RowVm[] = all.filter((one) => ids?.includes(one.EntryId) ?? names?.includes(one.Name) ?? true);
  return Response.json({ totalRecords: rows.length, rows });
}

const before = client.getConfig().fetch;
client.interceptors.error.use((error, response) => toServiceError(error, response));
beforeEach(() => {
  Object.assign(site, {
    names: new Map(),
    refused: new Set(),
    mute: new Set(),
    forbids: false,
    loses: false,
    sizes: [],
  });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (request) => {
      if (!(request instanceof Request)) throw new TypeError('A request');
      const path = new URL(request.url).pathname;
      if (path.endsWith('/allfields')) return Response.json([FIELD]);
      return path.includes('/rows/') ? query(await request.json()) : store(await request.json());
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

const progressOf = (rows: readonly Planned[]) =>
  new Map<number, Progress>(rows.map((one) => [one.row, begin(one)]));

async function send(
  rows: readonly Planned<Work>[],
  progress = progressOf(rows),
  results = new Map<number, RowResult>(),
) {
  const made = new Set([...results.values()].flatMap(({ id }) => id ?? []));
  const tell = (number: number, result: RowResult) => void results.set(number, result);
  await entriesPerformer(9).perform({ rows, progress, results, made, tell });
  return rows.map((one) => {
    const { result, id, why } = results.get(one.row) ?? {};
    return why === undefined ? [result, id] : [result, why];
  });
}

test('rows that the service refuses by name are left out, all others are stored in two requests', async () => {
  site.refused.add('B').add('D');
  const rows = ['A', 'B', 'C', 'D', 'E'].map((name, at) => row(at + 2, name));
  expect(await send(rows)).toEqual([
    ['done', 100],
    ['failed', 'is refused'],
    ['done', 101],
    ['failed', 'is refused'],
    ['done', 102],
  ]);
  expect(site.sizes).toEqual([5, 3]);
});

test('where a refusal names none, halves find it: every row is known to be stored or not', async () => {
  site.mute.add('D');
  const rows = ['A', 'B', 'C', 'D', 'E'].map((name, at) => row(at + 2, name));
  const said = await send(rows);
  expect(said.map(([result]) => result)).toEqual(['done', 'done', 'done', 'failed', 'done']);
  expect([...site.names.values()].toSorted()).toEqual(['A', 'B', 'C', 'E']);
});

test('what is refused to all alike is asked once', async () => {
  site.forbids = true;
  const rows = ['A', 'B', 'C', 'D', 'E'].map((name, at) => row(at + 2, name));
  expect(await send(rows)).toEqual(rows.map(() => ['failed', 'You may not do this']));
  expect(site.sizes).toEqual([5]);
});

test('what was stored while the answer was lost is found again and not made twice', async () => {
  site.names.set(50, 'A');
  site.loses = true;
  const rows = [row(2, 'A'), row(3, 'B')];
  const progress = progressOf(rows);
  for (const far of progress.values()) far.above = 60;
  await expect(send(rows, progress)).rejects.toThrow('cannot be reached');
  site.loses = false;
  for (const far of progress.values()) far.unsure = true;
  expect(await send(rows, progress)).toEqual([
    ['done', 101],
    ['done', 102],
  ]);
  expect(site.names.size).toBe(3);
});

test('what somebody else changed is not overwritten; what they made just so is done', async () => {
  site.names.set(7, 'Theirs').set(8, 'Mine');
  const rows = [row(2, 'Mine', { id: 7, before: 'Old' }), row(3, 'Mine', { id: 8, before: 'Old' })];
  expect(await send(rows)).toEqual([
    ['failed', 'Somebody else changed this entry in the meantime'],
    ['done', 8],
  ]);
  expect(site.names.get(7)).toBe('Theirs');
});

test('pieces are small in rows, in fields and in characters, and hold all rows in order', () => {
  const long = 'x'.repeat(900_000);
  const rows = [
    ...Array.from({ length: 450 }, (_, at) => row(at + 2, 'A')),
    ...[1, 2, 3].map((at) => row(500 + at, long)),
  ];
  const pieces = piecesOf(rows);
  expect(pieces.map((piece) => piece.length)).toEqual([200, 200, 52, 1]);
  expect(pieces.flat()).toEqual(rows);
});
