import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FieldVm } from '../../../../contract/generated/types.gen.ts';
import {
  filterOperations,
  isFileField,
  type FilterOperation,
} from '../../../../contract/rules/schema/fields.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import {
  recalculate,
  DATA,
  makeThings,
  setIndexesReady,
  type Things,
} from '../../../testing/entries/entries.ts';
import { matches, type PlainValues } from '../../../testing/entries/entry-oracle.ts';
import { makePerson, onEachApp } from '../../../testing/site.ts';

const LONG = `Begins ${'ab'.repeat(120)}`;
const TEXTS = ['Ärger in Zürich', 'äRGER IN zürich!', String.raw`100% of a_b \ c`, `${LONG}X`, `${LONG}Y`];
const PARTS = ['zÜRICH', '%', 'A_B', '\\', '', 'ur', `${LONG}x`.slice(7), LONG];
const DAYS = ['1899-12-31', '2026-02-28', '2026-03-01', '9999-12-31'];
const MOMENTS = [
  '0050-06-01T00:00:00.000Z',
  '2026-02-28T23:59:59.999Z',
  '2026-03-01T00:00:00.000Z',
  '2026-03-01T00:00:00.001Z',
];
const NUMBERS = [-1.5, 0, 0.1, 1e21];

/** Operands by field: stored values, and some that no entry has. */
const OPERANDS: Readonly<Record<string, readonly unknown[]>> = {
  Name: ['alpha', 'ALPHA', 'ph', 'a%'],
  Note: [...PARTS, ...TEXTS],
  Memo: [...PARTS, ...TEXTS.slice(1)],
  Reason: ['any'],
  Score: NUMBERS,
  Twice: [-3, 0, 0.2],
  Revenue: NUMBERS,
  Price: NUMBERS,
  Seen: [...MOMENTS, '2026-03-01'],
  Founded: DAYS,
  No: [1, 3, 99],
  Active: [true, false],
};

onEachApp((context) => {
  let things: Things;
  /** Values of the entries by id. */
  const storedValues = new Map<number, PlainValues>();

  beforeAll(async () => {
    things = await makeThings(context());
    const { choice } = things;
    const other = await makePerson(context().db, things.siteId);
    const [first = 0, second = 0] = await things.create({ Name: 'alpha' }, { Name: 'Alpha' });
    const entries: PlainValues[] = NUMBERS.map((number, at) => ({
      Name: `Entry ${at} 100%`,
      Note: TEXTS[at],
      Memo: TEXTS[at],
      Score: number,
      Revenue: { value: number, currencyCode: at % 2 === 0 ? 'EUR' : 'USD' },
      Price: { value: number, currencyCode: 'CHF' },
      Seen: MOMENTS[at],
      Founded: DAYS[at],
      Active: at % 2 === 0,
      Stage: choice('Stage', at === 0 ? 'Open' : 'Won'),
      Tags: [choice('Tags', 'Red'), ...(at === 1 ? [choice('Tags', 'Blue')] : [])],
      Parent: at === 0 ? first : second,
      Friends: at === 1 ? [second] : [second, first],
      Owner: at === 0 ? other.userId : things.person.userId,
      Team: at === 0 ? [other.userId] : [things.person.userId, other.userId],
    }));
    entries.push({ Name: 'Long', Note: TEXTS[4], Memo: TEXTS[4] }, { Name: 'Empty' });
    const ids = [first, second, ...(await things.create(...entries))];
    await recalculate(context().db);
    for (const [at, values] of [{ Name: 'alpha' }, { Name: 'Alpha' }, ...entries].entries()) {
      const twice = 'Score' in values ? { Twice: Number(values.Score) * 2 } : {};
      storedValues.set(ids[at] ?? 0, { ...values, ...twice, No: at + 1 });
    }
  });

  /** Operands with which a field is compared. */
  function listOperands(name: string, { operand }: FilterOperation): readonly unknown[] {
    const ids = [...storedValues.values()].flatMap((values) => values[name] ?? []);
    const one = OPERANDS[name] ?? [...new Set(ids), 2_147_483_647];
    if (operand === 'none') return [undefined];
    if (operand === 'one') return one;
    return operand === 'several'
      ? [one, one.slice(0, 1), one.slice(-2)]
      : [[one[0], one[2] ?? one[1]], one.slice(1, 3), [one.at(-1), one[0]]];
  }

  const expected = (query: PlainValues) =>
    [...storedValues].filter(([, values]) => matches(query, values)).map(([id]) => id);

  const queryIds = async (query: PlainValues) =>
    (await things.query(query, { fields: ['EntryId'] })).rows.map(({ EntryId }) => EntryId);

  async function filterIds(field: FieldVm, operation: FilterOperation, operand: unknown) {
    const [value, valueTo] = operation.operand === 'pair' ? (operand as unknown[]) : [operand];
    const item = { fieldId: field.id, filterOperation: operation.id, value, valueTo };
    const answer = await things.api.post(`${DATA}/entrydata/Thing/filter`, [item]);
    return answer.status === 200 ? answer.body : answer.text;
  }

  /** Queries of a field whose result differs from the expected one, with both results. */
  async function findWrongResults(name: string, ready: boolean): Promise<unknown[]> {
    const wrongResults: unknown[] = [];
    const field = things.field(name);
    for (const operation of filterOperations.filter(({ fieldTypes }) => fieldTypes.includes(field.fieldType)))
      for (const operand of listOperands(name, operation)) {
        const isMarker = operation.operand === 'none';
        const query = { [name]: isMarker ? operation.rowOperator : { [operation.rowOperator]: operand } };
        const ids = expected(query);
        // Filters lead to the same tree as row queries, so one round with them is enough.
        const isFilterTested = operation.id !== null && ready;
        const results = [
          await queryIds(query),
          ...(isFilterTested ? [await filterIds(field, operation, operand)] : []),
        ];
        if (results.some((result) => !isDeepStrictEqual(result, ids)))
          wrongResults.push({ query, ids, results });
      }
    return wrongResults;
  }

  const names = [...Object.keys(OPERANDS), 'Stage', 'Tags', 'Parent', 'Friends', 'Owner', 'Team'];
  const files = ['Plan', 'Papers', 'Logo', 'Photos'];

  describe.each([true, false])('with slots and indexed texts: %s', (ready) => {
    beforeAll(() => setIndexesReady(context().db, things.siteId, ready));

    // Without slots and indexed texts these are compared like Memo and Price.
    const redundantNames = ready ? [] : ['Note', 'Revenue'];
    const testedNames = [...names, ...files].filter((name) => !redundantNames.includes(name));

    test.each(testedNames)('finds entries by %s', async (name) => {
      expect(await findWrongResults(name, ready)).toEqual([]);
    });

    test('nests conditions', async () => {
      const red = things.choice('Tags', 'Red');
      const queries: PlainValues[] = [
        { $or: [{ Score: { $lt: 0 } }, { $and: [{ Tags: red }, { Seen: { $gte: '2026-03-01' } }] }] },
        { $and: [{ $or: [{ Note: '$noData' }, { Active: true }] }, { Name: { $startswith: 'e' } }] },
        { Score: { $gte: 0, $lt: 1 }, Active: true },
        { Tags: { $not: '$noData' }, Parent: { $not: '$notNoData' } },
        { Note: { $contains: 'ich', $doesntContain: '!' } },
      ];
      for (const query of queries.slice(0, 3)) expect(await queryIds(query)).toEqual(expected(query));
      expect(await queryIds(queries[3] ?? {})).toEqual([]);
      expect(await queryIds(queries[4] ?? {})).toEqual(expected(queries[4] ?? {}));
    });

    test('restricts amounts to a currency', async () => {
      const item = { fieldId: things.field('Revenue').id, filterOperation: 3, value: 0 };
      const ask = (currencyCode: string) =>
        things.api.post<ErrorBody>(`${DATA}/entrydata/Thing/filter`, [{ ...item, currencyCode }]);
      const { body } = await ask('USD');
      expect(body).toEqual(
        [...storedValues].filter(([, { Score }]) => Score === 0 || Score === 1e21).map(([id]) => id),
      );
      expect((await ask('usd')).body.errors?.[0]?.path).toBe('0.currencyCode');
    });
  });

  test('rejects null with a hint in queries and filters', async () => {
    for (const name of names) {
      const field = things.field(name);
      const row = await things.api.post<ErrorBody>(`${DATA}/entrydata/rows/query/Thing`, {
        query: { [name]: null },
      });
      expect([row.status, row.body.errors]).toEqual([
        400,
        [{ path: `query.${name}`, message: 'is null: use "$noData" or "$notNoData"' }],
      ]);
      const item = { fieldId: field.id, filterOperation: 0, value: null };
      expect((await things.api.post(`${DATA}/entrydata/Thing/filter`, [item])).status).toBe(400);
    }
  });

  test('rejects operations that the field type does not support', async () => {
    for (const name of [
      'Note',
      'Stage',
      'Friends',
      'Score',
      'Seen',
      'Active',
      'Team',
      'Plan',
      'No',
      'Price',
      'Logo',
    ])
      for (const operation of filterOperations) {
        const { fieldType } = things.field(name);
        if (operation.fieldTypes.includes(fieldType)) continue;
        const value = operation.operand === 'pair' ? [1, 2] : 1;
        const { status, body } = await things.api.post<ErrorBody>(`${DATA}/entrydata/rows/query/Thing`, {
          query: { [name]: { [operation.rowOperator]: value } },
        });
        expect([status, body.message]).toEqual([400, expect.stringContaining(`${name} does not support`)]);
        expect(isFileField(fieldType) || operation.operand !== 'none').toBe(true);
      }
  });

  test('compares entry ids like numbers', async () => {
    const [first = 0, second = 0, ...rest] = storedValues.keys();
    expect(await queryIds({ EntryId: first })).toEqual([first]);
    expect(await queryIds({ entryid: { $between: [first, second] } })).toEqual([first, second]);
    expect(await queryIds({ EntryId: { $nin: [first, second] } })).toEqual(rest);
    expect(await queryIds({ EntryId: { $not: first }, Name: { $startswith: 'alp' } })).toEqual([second]);
    expect(await queryIds({ EntryId: { $gt: second, $lte: 2_147_483_647 } })).toEqual(rest);
    expect(await queryIds({ EntryId: -1 })).toEqual([]);
  });
});
