import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RowVm, StoreRequestsVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { client } from '../../../api/generated/client.gen.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { createProgress } from '../../import/index.ts';
import type { RowProgress, RowResult } from '../../import/index.ts';
import { createEntryExecutor } from './executor.ts';
import { splitIntoBatches } from './row-requests.ts';
import type { RowWork } from './stored-values.ts';

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

function row(at: number, name: string, entry?: { id: number; before: string }): ImportRowPlan<RowWork> {
  return {
    row: at,
    outcome: entry ? 'update' : 'create',
    id: entry?.id,
    name,
    detail: '',
    changes: [],
    errors: [],
    work: {
      items: [{ fieldId: NAME, value: name }],
      before: entry ? { [NAME]: entry.before } : {},
      ignoreNearDups: false,
    },
  };
}

/** Simulated service that stores a request as a whole or not at all. */
const site = {
  names: new Map<number, string>(),
  refused: new Set<string>(),
  /** Refuses without naming an entry. */
  mute: new Set<string>(),
  /** Refuses all requests for missing capability. */
  forbids: false,
  /** Stores without answering. */
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

const progressOf = (rows: readonly ImportRowPlan[]) =>
  new Map<number, RowProgress>(rows.map((one) => [one.row, createProgress(one)]));

async function send(
  rows: readonly ImportRowPlan<RowWork>[],
  progress = progressOf(rows),
  results = new Map<number, RowResult>(),
) {
  const created = new Set([...results.values()].flatMap(({ id }) => id ?? []));
  const report = (number: number, result: RowResult) => void results.set(number, result);
  await createEntryExecutor(9).execute({ rows, progress, results, createdIds: created, report });
  return rows.map((one) => {
    const { result, id, why } = results.get(one.row) ?? {};
    return why === undefined ? [result, id] : [result, why];
  });
}

test('leaves out refused rows and stores the others in two requests', async () => {
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

test('halves a refused request that names no row', async () => {
  site.mute.add('D');
  const rows = ['A', 'B', 'C', 'D', 'E'].map((name, at) => row(at + 2, name));
  const text = await send(rows);
  expect(text.map(([result]) => result)).toEqual(['done', 'done', 'done', 'failed', 'done']);
  expect([...site.names.values()].toSorted()).toEqual(['A', 'B', 'C', 'E']);
});

test('asks once for a refusal that concerns all rows', async () => {
  site.forbids = true;
  const rows = ['A', 'B', 'C', 'D', 'E'].map((name, at) => row(at + 2, name));
  expect(await send(rows)).toEqual(rows.map(() => ['failed', 'You may not do this']));
  expect(site.sizes).toEqual([5]);
});

test('finds entries stored without an answer and does not create them twice', async () => {
  site.names.set(50, 'A');
  site.loses = true;
  const rows = [row(2, 'A'), row(3, 'B')];
  const progress = progressOf(rows);
  for (const rowProgress of progress.values()) rowProgress.lastIdBefore = 60;
  await expect(send(rows, progress)).rejects.toThrow('cannot be reached');
  site.loses = false;
  for (const rowProgress of progress.values()) rowProgress.isUncertain = true;
  expect(await send(rows, progress)).toEqual([
    ['done', 101],
    ['done', 102],
  ]);
  expect(site.names.size).toBe(3);
});

test('does not overwrite changes of others and accepts equal values', async () => {
  site.names.set(7, 'Theirs').set(8, 'Mine');
  const rows = [row(2, 'Mine', { id: 7, before: 'Old' }), row(3, 'Mine', { id: 8, before: 'Old' })];
  expect(await send(rows)).toEqual([
    ['failed', 'Someone else changed this entry in the meantime'],
    ['done', 8],
  ]);
  expect(site.names.get(7)).toBe('Theirs');
});

test('splits batches by rows, fields and characters, in order', () => {
  const long = 'x'.repeat(900_000);
  const rows = [
    ...Array.from({ length: 450 }, (_, at) => row(at + 2, 'A')),
    ...[1, 2, 3].map((at) => row(500 + at, long)),
  ];
  const batches = splitIntoBatches(rows);
  expect(batches.map((batch) => batch.length)).toEqual([200, 200, 52, 1]);
  expect(batches.flat()).toEqual(rows);
});
