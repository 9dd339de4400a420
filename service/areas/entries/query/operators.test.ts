import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FieldVm } from '../../../../contract/generated/types.gen.ts';
import { filterOperations, isFileField, type FilterOperation } from '../../../../contract/rules/fields.ts';
import type { Refusal } from '../../../testing/calls.ts';
import { calculate, DATA, makeThings, setReady, type Things } from '../../../testing/entries.ts';
import { matches, type Plain } from '../../../testing/entry-oracle.ts';
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

/** What is asked for in a field of this kind: values that are held, and some that are not. */
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

onEachApp((house) => {
  let things: Things;
  /** What each entry holds, by its id. */
  const held = new Map<number, Plain>();

  beforeAll(async () => {
    things = await makeThings(house());
    const { choice } = things;
    const other = await makePerson(house().db, things.siteId);
    const [first = 0, second = 0] = await things.create({ Name: 'alpha' }, { Name: 'Alpha' });
    const entries: Plain[] = NUMBERS.map((number, at) => ({
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
    await calculate(house().db);
    for (const [at, values] of [{ Name: 'alpha' }, { Name: 'Alpha' }, ...entries].entries()) {
      const twice = 'Score' in values ? { Twice: Number(values.Score) * 2 } : {};
      held.set(ids[at] ?? 0, { ...values, ...twice, No: at + 1 });
    }
  });

  /** Every way to ask a field with the operation. */
  function asked(name: string, { operand }: FilterOperation): readonly unknown[] {
    const ids = [...held.values()].flatMap((values) => values[name] ?? []);
    const one = OPERANDS[name] ?? [...new Set(ids), 2_147_483_647];
    if (operand === 'none') return [undefined];
    if (operand === 'one') return one;
    return operand === 'several'
      ? [one, one.slice(0, 1), one.slice(-2)]
      : [[one[0], one[2] ?? one[1]], one.slice(1, 3), [one.at(-1), one[0]]];
  }

  const expected = (query: Plain) =>
    [...held].filter(([, values]) => matches(query, values)).map(([id]) => id);

  const found = async (query: Plain) =>
    (await things.query(query, { fields: ['EntryId'] })).rows.map(({ EntryId }) => EntryId);

  async function filtered(field: FieldVm, operation: FilterOperation, operand: unknown) {
    const [value, valueTo] = operation.operand === 'pair' ? (operand as unknown[]) : [operand];
    const item = { fieldId: field.id, filterOperation: operation.id, value, valueTo };
    const answer = await things.api.post(`${DATA}/entrydata/Thing/filter`, [item]);
    return answer.status === 200 ? answer.body : answer.text;
  }

  /** Questions about the field with another answer than they should have, and which. */
  async function wrongAnswers(name: string, ready: boolean): Promise<unknown[]> {
    const wrong: unknown[] = [];
    const field = things.field(name);
    for (const operation of filterOperations.filter(({ fieldTypes }) => fieldTypes.includes(field.fieldType)))
      for (const operand of asked(name, operation)) {
        const marker = operation.operand === 'none';
        const query = { [name]: marker ? operation.rowOperator : { [operation.rowOperator]: operand } };
        const ids = expected(query);
        // Both ways lead to the same tree: to ask in both once is enough.
        const both = operation.id !== null && ready;
        const answers = [await found(query), ...(both ? [await filtered(field, operation, operand)] : [])];
        if (answers.some((answer) => !isDeepStrictEqual(answer, ids))) wrong.push({ query, ids, answers });
      }
    return wrong;
  }

  const names = [...Object.keys(OPERANDS), 'Stage', 'Tags', 'Parent', 'Friends', 'Owner', 'Team'];
  const files = ['Plan', 'Papers', 'Logo', 'Photos'];

  describe.each([true, false])('with slots and searched texts: %s', (ready) => {
    beforeAll(() => setReady(house().db, things.siteId, ready));

    // Without slots and searched texts these are asked as Memo and Price are.
    const alike = ready ? [] : ['Note', 'Revenue'];
    const asking = [...names, ...files].filter((name) => !alike.includes(name));

    test.each(asking)('%s is found by what it holds', async (name) => {
      expect(await wrongAnswers(name, ready)).toEqual([]);
    });

    test('conditions nest', async () => {
      const red = things.choice('Tags', 'Red');
      const queries: Plain[] = [
        { $or: [{ Score: { $lt: 0 } }, { $and: [{ Tags: red }, { Seen: { $gte: '2026-03-01' } }] }] },
        { $and: [{ $or: [{ Note: '$noData' }, { Active: true }] }, { Name: { $startswith: 'e' } }] },
        { Score: { $gte: 0, $lt: 1 }, Active: true },
        { Tags: { $not: '$noData' }, Parent: { $not: '$notNoData' } },
        { Note: { $contains: 'ich', $doesntContain: '!' } },
      ];
      for (const query of queries.slice(0, 3)) expect(await found(query)).toEqual(expected(query));
      expect(await found(queries[3] ?? {})).toEqual([]);
      expect(await found(queries[4] ?? {})).toEqual(expected(queries[4] ?? {}));
    });

    test('a currency narrows amounts', async () => {
      const item = { fieldId: things.field('Revenue').id, filterOperation: 3, value: 0 };
      const ask = (currencyCode: string) =>
        things.api.post<Refusal>(`${DATA}/entrydata/Thing/filter`, [{ ...item, currencyCode }]);
      const { body } = await ask('USD');
      expect(body).toEqual(
        [...held].filter(([, { Score }]) => Score === 0 || Score === 1e21).map(([id]) => id),
      );
      expect((await ask('usd')).body.errors?.[0]?.path).toBe('0.currencyCode');
    });
  });

  test('null is refused with a hint, by both ways to ask', async () => {
    for (const name of names) {
      const field = things.field(name);
      const row = await things.api.post<Refusal>(`${DATA}/entrydata/rows/query/Thing`, {
        query: { [name]: null },
      });
      expect([row.status, row.body.errors]).toEqual([
        400,
        [{ path: `query.${name}`, message: 'is null: ask for "$noData" or "$notNoData"' }],
      ]);
      const item = { fieldId: field.id, filterOperation: 0, value: null };
      expect((await things.api.post(`${DATA}/entrydata/Thing/filter`, [item])).status).toBe(400);
    }
  });

  test('every other operation is refused for the type of the field', async () => {
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
        const { status, body } = await things.api.post<Refusal>(`${DATA}/entrydata/rows/query/Thing`, {
          query: { [name]: { [operation.rowOperator]: value } },
        });
        expect([status, body.message]).toEqual([
          400,
          expect.stringContaining(`${name} cannot be asked with`),
        ]);
        expect(isFileField(fieldType) || operation.operand !== 'none').toBe(true);
      }
  });

  test('ids of entries are asked for as numbers are', async () => {
    const [first = 0, second = 0, ...rest] = held.keys();
    expect(await found({ EntryId: first })).toEqual([first]);
    expect(await found({ entryid: { $between: [first, second] } })).toEqual([first, second]);
    expect(await found({ EntryId: { $nin: [first, second] } })).toEqual(rest);
    expect(await found({ EntryId: { $not: first }, Name: { $startswith: 'alp' } })).toEqual([second]);
    expect(await found({ EntryId: { $gt: second, $lte: 2_147_483_647 } })).toEqual(rest);
    expect(await found({ EntryId: -1 })).toEqual([]);
  });
});
