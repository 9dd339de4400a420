import { afterEach, beforeEach, expect, test } from 'vitest';
import '../../../api/query-client.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import { executeChanges } from './execute-changes.ts';
import type { EntryChange } from './plan.ts';

interface Item {
  entryId: number;
  value: unknown;
  expected: { value: unknown };
}

const CITY = 4;
const fields = buildSchema(
  [],
  [
    {
      id: CITY,
      entryTypeId: 1,
      apiName: 'City',
      name: 'City',
      fieldType: 1,
      ...FIELD_DEFAULTS,
    },
  ],
).getFields(1);
const target = { typeId: 1, fields, mayBeStored: false };

/** Values of the entries; a write that expects another value, or names an entry in `refused`, is refused as a whole. */
let storedValues = new Map<number, string>();
let refused = new Map<number, string>();
let status = 400;
let writes: number[][] = [];
const before = client.getConfig().fetch;

beforeEach(() => {
  storedValues = new Map([1, 2, 3, 4].map((id) => [id, 'Rome']));
  refused = new Map();
  status = 400;
  writes = [];
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const request = new Request(input, init);
      const body = (await request.json()) as { storeRequests?: Item[] };
      if (request.method === 'POST') {
        const rows = [...storedValues].map(([EntryId, City]) => ({ EntryId, City }));
        return Response.json({ totalRecords: rows.length, rows });
      }
      const items = body.storeRequests ?? [];
      writes.push(items.map(({ entryId }) => entryId));
      const errors = items.flatMap(({ entryId, expected }, at) => {
        const path = `storeRequests.${at}`;
        if (!storedValues.has(entryId))
          return [{ path: `${path}.entryId`, message: `Entry ${entryId} does not exist` }];
        const why = refused.get(entryId);
        if (why !== undefined) return [{ path: status === 400 ? `${path}.value` : '', message: why }];
        return storedValues.get(entryId) === expected.value
          ? []
          : [{ path: `${path}.expected`, message: 'City no longer has the expected value' }];
      });
      if (errors.length > 0) return Response.json({ message: 'No', requestId: 'r1', errors }, { status });
      for (const { entryId, value } of items) storedValues.set(entryId, String(value));
      return Response.json([]);
    },
  });
});
afterEach(() => {
  client.setConfig({ fetch: before });
});

const change = (entryId: number): EntryChange => ({
  entryId,
  name: `Entry ${entryId}`,
  cells: [{ fieldId: CITY, before: 'Rome', after: 'Oslo' }],
});
const executeAndGetResults = async (ids: readonly number[], mayBeStored = false) =>
  Object.fromEntries(
    (await executeChanges(ids.map(change), { ...target, mayBeStored })).map((one) => [
      one.entryId,
      one.result,
    ]),
  );

test('sends one request if nothing is refused', async () => {
  expect(await executeAndGetResults([1, 2, 3])).toEqual({ 1: 'done', 2: 'done', 3: 'done' });
  expect(writes).toEqual([[1, 2, 3]]);
});

test('reports refused entries and writes the others', async () => {
  refused.set(2, 'City is too long');
  storedValues.set(3, 'Kyiv');
  const results = await executeChanges([1, 2, 3, 4, 9].map(change), target);
  expect(results.toSorted((a, b) => a.entryId - b.entryId)).toEqual([
    { entryId: 1, result: 'done' },
    { entryId: 2, result: 'failed', why: 'City is too long', requestId: 'r1' },
    { entryId: 3, result: 'conflict', why: 'City no longer has the expected value', requestId: 'r1' },
    { entryId: 4, result: 'done' },
    { entryId: 9, result: 'conflict', why: 'No longer exists', requestId: 'r1' },
  ]);
  expect(storedValues.get(3)).toBe('Kyiv');
  expect(writes).toHaveLength(2);
});

test('tells entries already changed by others from those of an unanswered attempt', async () => {
  storedValues.set(1, 'Oslo');
  expect(await executeAndGetResults([1, 2])).toEqual({ 1: 'already', 2: 'done' });
  expect(await executeAndGetResults([1], true)).toEqual({ 1: 'done' });
});

test('halves a refusal without a path, except one that concerns all entries', async () => {
  status = 409;
  refused.set(3, 'Busy');
  expect(await executeAndGetResults([1, 2, 3, 4])).toEqual({ 1: 'done', 2: 'done', 3: 'failed', 4: 'done' });
  writes = [];
  status = 403;
  expect(await executeAndGetResults([3, 4])).toEqual({ 3: 'failed', 4: 'failed' });
  expect(writes).toHaveLength(1);
});

test('rethrows errors that concern no entry', async () => {
  status = 503;
  refused.set(1, 'Down');
  await expect(executeChanges([change(1)], target)).rejects.toMatchObject({ status: 503 });
});
