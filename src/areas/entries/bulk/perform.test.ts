import { afterEach, beforeEach, expect, test } from 'vitest';
import '../../../api/query-client.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { schemaOf } from '../model/schema.ts';
import { perform } from './perform.ts';
import type { EntryChange } from './plan.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

interface Item {
  entryId: number;
  value: unknown;
  expected: { value: unknown };
}

const CITY = 4;
const fields = schemaOf(
  [],
  [
    {
      id: CITY,
      entryTypeId: 1,
      apiName: 'City',
      name: 'City',
      fieldType: 1,
      ...PLAIN_FIELD,
    },
  ],
).fieldsOf(1);
const target = { typeId: 1, fields, unsure: false };

/** What entries hold; a request that expects something else, or names an entry in `refused`, is refused as a whole. */
let held = new Map<number, string>();
let refused = new Map<number, string>();
let status = 400;
let writes: number[][] = [];
const before = client.getConfig().fetch;

beforeEach(() => {
  held = new Map([1, 2, 3, 4].map((id) => [id, 'Rome']));
  refused = new Map();
  status = 400;
  writes = [];
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const request = new Request(input, init);
      const body = (await request.json()) as { storeRequests?: Item[] };
      if (request.method === 'POST') {
        const rows = [...held].map(([EntryId, City]) => ({ EntryId, City }));
        return Response.json({ totalRecords: rows.length, rows });
      }
      const items = body.storeRequests ?? [];
      writes.push(items.map(({ entryId }) => entryId));
      const errors = items.flatMap(({ entryId, expected }, at) => {
        const path = `storeRequests.${at}`;
        if (!held.has(entryId))
          return [{ path: `${path}.entryId`, message: `Entry ${entryId} does not exist` }];
        const why = refused.get(entryId);
        if (why !== undefined) return [{ path: status === 400 ? `${path}.value` : '', message: why }];
        return held.get(entryId) === expected.value
          ? []
          : [{ path: `${path}.expected`, message: 'City holds another value by now' }];
      });
      if (errors.length > 0) return Response.json({ message: 'No', requestId: 'r1', errors }, { status });
      for (const { entryId, value } of items) held.set(entryId, String(value));
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
const resultsOf = async (ids: readonly number[], unsure = false) =>
  Object.fromEntries(
    (await perform(ids.map(change), { ...target, unsure })).map((one) => [one.entryId, one.result]),
  );

test('one request where nothing stands against it', async () => {
  expect(await resultsOf([1, 2, 3])).toEqual({ 1: 'done', 2: 'done', 3: 'done' });
  expect(writes).toEqual([[1, 2, 3]]);
});

test('who is to blame is told, and the others are changed all the same', async () => {
  refused.set(2, 'City is too long');
  held.set(3, 'Kyiv');
  const told = await perform([1, 2, 3, 4, 9].map(change), target);
  expect(told.toSorted((a, b) => a.entryId - b.entryId)).toEqual([
    { entryId: 1, result: 'done' },
    { entryId: 2, result: 'failed', why: 'City is too long', requestId: 'r1' },
    { entryId: 3, result: 'conflict', why: 'City holds another value by now', requestId: 'r1' },
    { entryId: 4, result: 'done' },
    { entryId: 9, result: 'conflict', why: 'No longer there', requestId: 'r1' },
  ]);
  expect(held.get(3)).toBe('Kyiv');
  expect(writes).toHaveLength(2);
});

test('who holds it by now has it from others, or from an attempt without an answer', async () => {
  held.set(1, 'Oslo');
  expect(await resultsOf([1, 2])).toEqual({ 1: 'already', 2: 'done' });
  expect(await resultsOf([1], true)).toEqual({ 1: 'done' });
});

test('a refusal without a place is narrowed down by halves; one that is about everybody is not', async () => {
  status = 409;
  refused.set(3, 'Busy');
  expect(await resultsOf([1, 2, 3, 4])).toEqual({ 1: 'done', 2: 'done', 3: 'failed', 4: 'done' });
  writes = [];
  status = 403;
  expect(await resultsOf([3, 4])).toEqual({ 3: 'failed', 4: 'failed' });
  expect(writes).toHaveLength(1);
});

test("a fault that is nobody's is thrown", async () => {
  status = 503;
  refused.set(1, 'Down');
  await expect(perform([change(1)], target)).rejects.toMatchObject({ status: 503 });
});
