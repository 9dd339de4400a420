import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { client } from '../../../api/generated/client.gen.ts';
import { createQueryClient } from '../../../api/query-client.ts';
import { parseFilter } from '../filter/draft.ts';
import { getVisibleColumns, DEFAULT_COLUMN_LAYOUT } from '../model/columns.ts';
import { entryRowsQuery } from '../model/entry-rows.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import { fieldsQuery, buildSchema, typesQuery } from '../model/schema.ts';
import { addNameSearch, buildRowQuery, formatCurl, parseSort, prefetchRows } from './row-query.ts';
import type { EntriesView } from './view.ts';

const field = (id: number, apiName: string) => ({
  id,
  entryTypeId: 7,
  apiName,
  name: apiName,
  fieldType: 1,
  ...FIELD_DEFAULTS,
  isKey: id === 1,
});
const sevenFields = [field(1, 'Name'), field(2, 'City'), field(3, 'Note')];
const fields = buildSchema([], sevenFields).getFields(7);
const VIEW: EntriesView = { q: '', query: undefined, sort: '', savedViewId: undefined };

let requests: unknown[] = [];
let storage: Readonly<Record<string, string>> = {};
const before = client.getConfig();
beforeEach(() => {
  requests = [];
  storage = {};
  vi.stubGlobal('localStorage', { getItem: (key: string) => storage[key] ?? null });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      requests.push(await new Request(input, init).json());
      return Response.json({ totalRecords: 0, rows: [] });
    },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  client.setConfig(before);
});

/** A query client with the schema loaded, as on a page of entries. */
function createClientWithSchema() {
  const queries = createQueryClient();
  queries.setQueryData(typesQuery.queryKey, []);
  queries.setQueryData(fieldsQuery.queryKey, sevenFields);
  return queries;
}

it('prefetches exactly the query of the page, so that it is requested once', async () => {
  storage = { 'steward-entries-columns-8': JSON.stringify({ ...DEFAULT_COLUMN_LAYOUT, hidden: ['City'] }) };
  const rawFields = sevenFields.map((each) => ({ ...each, entryTypeId: 8 }));
  const queries = createQueryClient();
  queries.setQueryData(typesQuery.queryKey, []);
  queries.setQueryData(fieldsQuery.queryKey, rawFields);
  const view = { ...VIEW, q: 'a', query: { City: 'Oslo' }, sort: '-city' };
  await prefetchRows(queries, 8, view);
  const eightFields = buildSchema([], rawFields).getFields(8);
  const query = buildRowQuery({
    fields: eightFields,
    columnNames: getVisibleColumns(eightFields, { ...DEFAULT_COLUMN_LAYOUT, hidden: ['City'] }).map(
      ({ field: { apiName } }) => apiName,
    ),
    condition: parseFilter(view.query, eightFields).condition,
    q: 'a',
    sort: parseSort('-City', eightFields),
  });
  expect(query).toMatchObject({ fields: ['Name', 'Note'], orderBy: '-City' });
  expect(requests).toEqual([expect.objectContaining({ fields: ['Name', 'Note'], orderBy: '-City' })]);
  expect(queries.getQueryData(entryRowsQuery(8, query).queryKey)).toBeDefined();
});

it('does not prefetch saved views and invalid filters', async () => {
  await prefetchRows(createClientWithSchema(), 7, { ...VIEW, savedViewId: 3 });
  await prefetchRows(createClientWithSchema(), 7, { ...VIEW, query: { Gone: 1 } });
  expect(requests).toEqual([]);
  await prefetchRows(createClientWithSchema(), 7, VIEW);
  expect(requests).toHaveLength(1);
});

it('ignores orders by unknown fields', () => {
  expect(parseSort('-city', fields)).toEqual({ field: 'City', descending: true });
  expect(parseSort('Gone', fields)).toEqual({ field: '', descending: false });
  expect(
    buildRowQuery({
      fields,
      columnNames: ['Name'],
      condition: undefined,
      q: ' ',
      sort: parseSort('', fields),
    }),
  ).toEqual({
    fields: ['Name'],
  });
});

it('adds the name search to the filter', () => {
  const [key] = fields;
  expect(addNameSearch(undefined, ' a ', key)).toEqual({ Name: { $contains: 'a' } });
  expect(addNameSearch({ Stage: 4 }, 'a', key)).toEqual({
    $and: [{ Name: { $contains: 'a' } }, { Stage: 4 }],
  });
  expect(addNameSearch({ Stage: 4 }, '  ', key)).toEqual({ Stage: 4 });
});

it('quotes a request for the shell', () => {
  expect(formatCurl('https://here', 'Company', { query: { Name: "O'Hara" } })).toContain(
    String.raw`{"query":{"Name":"O'\''Hara"}}`,
  );
});
