import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '../../../api/query-client.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { columnsOf } from './columns.ts';
import { AS_SCHEMA } from './columns-store.ts';
import { PLAIN_FIELD } from './field.fixture.ts';
import { readSaid } from '../filter/query.ts';
import { askAhead, questionOf, sortIn } from './question.ts';
import { fieldsQuery, schemaOf, typesQuery } from './schema.ts';
import { rowsQuery } from './use-rows.ts';
import type { EntriesView } from './view.ts';

const field = (id: number, apiName: string) => ({
  id,
  entryTypeId: 7,
  apiName,
  name: apiName,
  fieldType: 1,
  ...PLAIN_FIELD,
  isKey: id === 1,
});
const all = [field(1, 'Name'), field(2, 'City'), field(3, 'Note')];
const fields = schemaOf([], all).fieldsOf(7);
const VIEW: EntriesView = { q: '', query: undefined, sort: '', saved: undefined };

let asked: unknown[] = [];
let kept: Readonly<Record<string, string>> = {};
const before = client.getConfig();
beforeEach(() => {
  asked = [];
  kept = {};
  vi.stubGlobal('localStorage', { getItem: (key: string) => kept[key] ?? null });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      asked.push(await new Request(input, init).json());
      return Response.json({ totalRecords: 0, rows: [] });
    },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  client.setConfig(before);
});

/** A cache that knows the schema, as it does when a page of entries is opened. */
function knowing() {
  const queries = createQueryClient();
  queries.setQueryData(typesQuery.queryKey, []);
  queries.setQueryData(fieldsQuery.queryKey, all);
  return queries;
}

it('asks ahead exactly what the page then asks, so that it is asked once', async () => {
  kept = { 'steward-entries-columns-8': JSON.stringify({ ...AS_SCHEMA, hidden: ['City'] }) };
  const eight = all.map((one) => ({ ...one, entryTypeId: 8 }));
  const queries = createQueryClient();
  queries.setQueryData(typesQuery.queryKey, []);
  queries.setQueryData(fieldsQuery.queryKey, eight);
  const view = { ...VIEW, q: 'a', query: { City: 'Oslo' }, sort: '-city' };
  await askAhead(queries, 8, view);
  const shown = schemaOf([], eight).fieldsOf(8);
  const question = questionOf({
    fields: shown,
    names: columnsOf(shown, { ...AS_SCHEMA, hidden: ['City'] }).map(({ field: { apiName } }) => apiName),
    condition: readSaid(view.query, shown).condition,
    q: 'a',
    sort: sortIn('-City', shown),
  });
  expect(question).toMatchObject({ fields: ['Name', 'Note'], orderBy: '-City' });
  expect(asked).toEqual([expect.objectContaining({ fields: ['Name', 'Note'], orderBy: '-City' })]);
  expect(queries.getQueryData(rowsQuery(8, question).queryKey)).toBeDefined();
});

it('does not ask ahead where something is to be read or said first: columns of a saved view, faults of a query', async () => {
  await askAhead(knowing(), 7, { ...VIEW, saved: 3 });
  await askAhead(knowing(), 7, { ...VIEW, query: { Gone: 1 } });
  expect(asked).toEqual([]);
  await askAhead(knowing(), 7, VIEW);
  expect(asked).toHaveLength(1);
});

it('orders by fields that the type has', () => {
  expect(sortIn('-city', fields)).toEqual({ field: 'City', descending: true });
  expect(sortIn('Gone', fields)).toEqual({ field: '', descending: false });
  expect(
    questionOf({ fields, names: ['Name'], condition: undefined, q: ' ', sort: sortIn('', fields) }),
  ).toEqual({
    fields: ['Name'],
  });
});
