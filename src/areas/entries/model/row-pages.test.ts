import { afterEach, beforeEach, expect, it } from 'vitest';
import '../../../api/query-client.ts';
import type { RowQueryRequest, RowVm } from '../../../../contract/generated/types.gen.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { loadRowPages } from './row-pages.ts';

// Like the service's limit of a response, but easy to reach.
const MAX_RESPONSE_CHARS = 4_000_000;
let storedRows: { EntryId: number; Memo: string }[] = [];
let requests: RowQueryRequest[] = [];
const before = client.getConfig().fetch;

const getLastId = (query: RowQueryRequest['query']): number =>
  Number(/"\$gt":(\d+)/.exec(JSON.stringify(query))?.[1]);

beforeEach(() => {
  requests = [];
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const body = (await new Request(input, init).json()) as RowQueryRequest;
      requests.push(body);
      const { limit = 1000 } = body;
      const found = storedRows.filter(({ EntryId }) => EntryId > getLastId(body.query)).slice(0, limit);
      if (found.reduce((sum, { Memo }) => sum + Memo.length, 0) <= MAX_RESPONSE_CHARS)
        return Response.json({ totalRecords: storedRows.length, rows: found });
      const errors = [{ path: 'limit', message: 'would be answered with more than it may' }];
      return Response.json({ message: 'limit', requestId: 'r', errors }, { status: 400 });
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

const loadAll = async (): Promise<RowVm[]> => {
  const found: RowVm[] = [];
  const query = { fields: ['Memo'], query: { City: 'Oslo' } };
  for await (const rows of loadRowPages(1, query)) found.push(...rows);
  return found;
};
const ids = (rows: readonly RowVm[]) => rows.map(({ EntryId }) => EntryId);
const createRows = (count: number, size: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => ({ EntryId: at + 1, Memo: 'x'.repeat(size(at)) }));

it('loads every row once, in the order of ids', async () => {
  storedRows = createRows(3000, () => 1);
  expect(ids(await loadAll())).toEqual(storedRows.map(({ EntryId }) => EntryId));
  expect(requests.map(({ limit }) => limit)).toEqual([250, 500, 1000, 1000, 1000]);
  expect(requests[1]?.query).toEqual({ $and: [{ EntryId: { $gt: 250 } }, { City: 'Oslo' }] });
  storedRows = [];
  expect(await loadAll()).toEqual([]);
});

it('reduces the page size for large rows among small ones', async () => {
  storedRows = createRows(2000, (at) => (at >= 900 && at < 912 ? 1_000_000 : 1));
  expect(new Set(ids(await loadAll())).size).toBe(2000);
  expect(requests.some(({ limit = 0 }) => limit < 10)).toBe(true);
});

it('fails if a single row is too large', async () => {
  storedRows = createRows(3, () => MAX_RESPONSE_CHARS + 1);
  await expect(loadAll()).rejects.toMatchObject({ status: 400 });
});
