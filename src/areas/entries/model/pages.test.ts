import { afterEach, beforeEach, expect, it } from 'vitest';
import '../../../api/query-client.ts';
import { client } from '../../../api/generated/client.gen.ts';
import type { RowQueryRequest, RowVm } from '../../../api/generated/types.gen.ts';
import { pagesOf } from './pages.ts';

// As the service does it, with a bound that is easy to reach.
const MOST = 4_000_000;
let all: { EntryId: number; Memo: string }[] = [];
let asked: RowQueryRequest[] = [];
const before = client.getConfig().fetch;

const lastSeen = (query: RowQueryRequest['query']): number =>
  Number(/"\$gt":(\d+)/.exec(JSON.stringify(query))?.[1]);

beforeEach(() => {
  asked = [];
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const body = (await new Request(input, init).json()) as RowQueryRequest;
      asked.push(body);
      const { limit = 1000 } = body;
      const found = all.filter(({ EntryId }) => EntryId > lastSeen(body.query)).slice(0, limit);
      if (found.reduce((sum, { Memo }) => sum + Memo.length, 0) <= MOST)
        return Response.json({ totalRecords: all.length, rows: found });
      const errors = [{ path: 'limit', message: 'would be answered with more than it may' }];
      return Response.json({ message: 'limit', requestId: 'r', errors }, { status: 400 });
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

const read = async (): Promise<RowVm[]> => {
  const found: RowVm[] = [];
  const question = { fields: ['Memo'], query: { City: 'Oslo' } };
  for await (const rows of pagesOf(1, question)) found.push(...rows);
  return found;
};
const ids = (rows: readonly RowVm[]) => rows.map(({ EntryId }) => EntryId);
const rowsOf = (count: number, size: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => ({ EntryId: at + 1, Memo: 'x'.repeat(size(at)) }));

it('reads every row once, by ids', async () => {
  all = rowsOf(3000, () => 1);
  expect(ids(await read())).toEqual(all.map(({ EntryId }) => EntryId));
  expect(asked.map(({ limit }) => limit)).toEqual([250, 500, 1000, 1000, 1000]);
  expect(asked[1]?.query).toEqual({ $and: [{ EntryId: { $gt: 250 } }, { City: 'Oslo' }] });
  all = [];
  expect(await read()).toEqual([]);
});

it('goes on with fewer rows where large ones stand among small ones', async () => {
  all = rowsOf(2000, (at) => (at >= 900 && at < 912 ? 1_000_000 : 1));
  expect(new Set(ids(await read())).size).toBe(2000);
  expect(asked.some(({ limit = 0 }) => limit < 10)).toBe(true);
});

it('fails where a single row is too large', async () => {
  all = rowsOf(3, () => MOST + 1);
  await expect(read()).rejects.toMatchObject({ status: 400 });
});
