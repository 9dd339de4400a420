import { afterEach, beforeEach, expect, it } from 'vitest';
import '../../../api/query-client.ts';
import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { FIELD_DEFAULTS } from './field.fixture.ts';
import { isTruncated, loadFullValue, loadFullRows, loadFullRange } from './full-values.ts';
import { WINDOW_ROWS, createEntryRows } from './row-windows.ts';
import { buildSchema } from './schema.ts';

const field = (id: number, apiName: string) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType: 1,
  ...FIELD_DEFAULTS,
  isKey: id === 1,
});
const fields = buildSchema([], [field(1, 'Name'), field(2, 'Memo'), field(3, 'Note')]).getFields(1);

let requests: string[][] = [];
let missingId = 0;
const originalFetch = client.getConfig().fetch;

beforeEach(() => {
  requests = [];
  missingId = 0;
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const cells = (await new Request(input, init).json()) as { entryId: number; fieldId: number }[];
      requests.push(cells.map(({ entryId, fieldId }) => `${entryId}.${fieldId}`));
      return Response.json(
        cells.map(({ entryId, fieldId }) =>
          entryId === missingId
            ? { entryId, error: { code: 404, description: `Entry ${entryId} does not exist` } }
            : { entryId, value: `whole ${entryId}.${fieldId}` },
        ),
      );
    },
  });
});
afterEach(() => client.setConfig({ fetch: originalFetch }));

it('loads only the truncated values', async () => {
  const rows = [
    { EntryId: 7, Name: 'Seven', Memo: 'be', Note: 'be', $cut: ['Memo', 'Note'] },
    { EntryId: 8, Name: 'Eight', Memo: 'all' },
  ];
  const [memo] = fields.filter(({ apiName }) => apiName === 'Memo');
  const fullRows = await loadFullRows(rows, memo ? [memo] : []);
  expect(fullRows).toEqual([
    { EntryId: 7, Name: 'Seven', Memo: 'whole 7.2', Note: 'be', $cut: ['Note'] },
    { EntryId: 8, Name: 'Eight', Memo: 'all' },
  ]);
  expect(requests).toEqual([['7.2']]);
  expect(memo && fullRows.map((row) => isTruncated(row, memo))).toEqual([false, false]);
  expect(await loadFullValue(7, 3)).toBe('whole 7.3');
});

it('loads many values in small batches', async () => {
  const rows = Array.from({ length: 10 }, (_, at) => ({
    EntryId: at + 1,
    Memo: 'b',
    Note: 'b',
    $cut: ['Memo', 'Note'],
  }));
  const fullRows = await loadFullRows(rows, fields);
  expect(requests.map(({ length }) => length)).toEqual([8, 8, 4]);
  expect(fullRows[9]).toEqual({ EntryId: 10, Memo: 'whole 10.2', Note: 'whole 10.3', $cut: [] });
});

it('fails if a value cannot be loaded, instead of returning its beginning', async () => {
  missingId = 2;
  await expect(loadFullRows([{ EntryId: 2, Memo: 'b', $cut: ['Memo'] }], fields)).rejects.toMatchObject({
    status: 404,
    message: 'Entry 2 does not exist',
  });
});

it('fails with the error of the request', async () => {
  const firstWindow = Array.from({ length: WINDOW_ROWS }, (_, at): RowVm => ({ EntryId: at + 1 }));
  const rows = createEntryRows({
    total: 2 * WINDOW_ROWS,
    firstWindow,
    loadWindow: () => Promise.reject(new ServiceError(503, 'Not now')),
  });
  await expect(loadFullRange(rows, 0, WINDOW_ROWS, [])).rejects.toThrow('Not now');
});
