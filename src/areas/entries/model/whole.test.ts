import { afterEach, beforeEach, expect, it } from 'vitest';
import '../../../api/query-client.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { schemaOf } from './schema.ts';
import { isCut, readWhole, wholeRows } from './whole.ts';
import { PLAIN_FIELD } from './field.fixture.ts';

const field = (id: number, apiName: string) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType: 1,
  ...PLAIN_FIELD,
  isKey: id === 1,
});
const fields = schemaOf([], [field(1, 'Name'), field(2, 'Memo'), field(3, 'Note')]).fieldsOf(1);

let asked: string[][] = [];
let gone = 0;
const before = client.getConfig().fetch;

beforeEach(() => {
  asked = [];
  gone = 0;
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const cells = (await new Request(input, init).json()) as { entryId: number; fieldId: number }[];
      asked.push(cells.map(({ entryId, fieldId }) => `${entryId}.${fieldId}`));
      return Response.json(
        cells.map(({ entryId, fieldId }) =>
          entryId === gone
            ? { entryId, error: { code: 404, description: `Entry ${entryId} does not exist` } }
            : { entryId, value: `whole ${entryId}.${fieldId}` },
        ),
      );
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

it('reads the values that a window cut, and no others', async () => {
  const rows = [
    { EntryId: 7, Name: 'Seven', Memo: 'be', Note: 'be', $cut: ['Memo', 'Note'] },
    { EntryId: 8, Name: 'Eight', Memo: 'all' },
  ];
  const [memo] = fields.filter(({ apiName }) => apiName === 'Memo');
  const whole = await wholeRows(rows, memo ? [memo] : []);
  expect(whole).toEqual([
    { EntryId: 7, Name: 'Seven', Memo: 'whole 7.2', Note: 'be', $cut: ['Note'] },
    { EntryId: 8, Name: 'Eight', Memo: 'all' },
  ]);
  expect(asked).toEqual([['7.2']]);
  expect(memo && whole.map((row) => isCut(row, memo))).toEqual([false, false]);
  expect(await readWhole(7, 3)).toBe('whole 7.3');
});

it('reads many of them in answers that stay small', async () => {
  const rows = Array.from({ length: 10 }, (_, at) => ({
    EntryId: at + 1,
    Memo: 'b',
    Note: 'b',
    $cut: ['Memo', 'Note'],
  }));
  const whole = await wholeRows(rows, fields);
  expect(asked.map(({ length }) => length)).toEqual([8, 8, 4]);
  expect(whole[9]).toEqual({ EntryId: 10, Memo: 'whole 10.2', Note: 'whole 10.3', $cut: [] });
});

it('fails where a value cannot be read, so that nobody takes its beginning for all of it', async () => {
  gone = 2;
  await expect(wholeRows([{ EntryId: 2, Memo: 'b', $cut: ['Memo'] }], fields)).rejects.toMatchObject({
    status: 404,
    message: 'Entry 2 does not exist',
  });
});
