import {
  type Arbitrary,
  assert,
  constantFrom,
  double,
  integer,
  letrec,
  array,
  oneof,
  property,
  record,
  string,
  tuple,
} from 'fast-check';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import {
  FIELD,
  type FieldType,
  type FilterOperation,
  filterOperations,
} from '../../../../contract/rules/fields.ts';
import { parseQuery } from '../../../../contract/rules/query/text.ts';
import type { SchemaField } from '../../schema/index.ts';
import { askedIn } from './asking.ts';
import { conditionSql } from './conditions.store.ts';

const db = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (over) => new PostgresIntrospector(over),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const asked = askedIn(3, 0, { user: 'UTC', site: 'UTC' });

const fieldOf = (
  id: number,
  fieldType: FieldType,
  slot: SchemaField['slot'],
  isMultiSelect = false,
): SchemaField => ({
  id,
  typeId: 1,
  apiName: `F${id}`,
  name: `F${id}`,
  description: null,
  fieldType,
  isRequired: false,
  requiredWhen: null,
  isMoney: false,
  isMultiSelect,
  isKey: slot === 'name',
  isSearchable: id % 2 === 0,
  isDateOnly: id % 2 === 0,
  isOnEntryForm: true,
  formula: null,
  isCalculated: false,
  isStoreRequestSupported: true,
  entryLists: [],
  choices: new Map(),
  slot,
  isSlotReady: slot !== null,
  isSearchReady: id % 2 === 0,
  version: 1,
});
const fields = [
  fieldOf(10, FIELD.text, 'name'),
  fieldOf(11, FIELD.text, 't1'),
  fieldOf(12, FIELD.text, null),
  fieldOf(13, FIELD.number, 'n1'),
  fieldOf(14, FIELD.number, null),
  fieldOf(15, FIELD.date, 'n2'),
  fieldOf(16, FIELD.date, null),
  fieldOf(17, FIELD.choice, 'n3'),
  fieldOf(18, FIELD.choice, null, true),
  fieldOf(19, FIELD.reference, null, true),
  fieldOf(20, FIELD.currency, null),
  fieldOf(21, FIELD.boolean, null),
  fieldOf(22, FIELD.image, null),
] as const;
const find = (name: string) => fields.find(({ apiName }) => apiName.toLowerCase() === name.toLowerCase());
const byId = (id: number) => {
  const field = fields.find((each) => each.id === id);
  if (!field) throw new Error(`There is no field ${id}`);
  return field;
};

/** A mark in every text that is asked for: it must not be found in the SQL. */
const MARK = 'zqzq';
const PAYLOADS = ["'; drop table entry; --", '$1', '${1}', '%', '_', '\\', '"', '?', '/*', '\u0001', 'ÄÖ'];
const text = oneof(string({ maxLength: 40 }), constantFrom(...PAYLOADS))
  .map((each) => `${MARK}${each.replaceAll('\0', '').toWellFormed()}`)
  // A text of an operator would be another question.
  .filter((each) => !each.startsWith('$'));
const id = integer({ min: 1_000_000, max: 2_147_483_647 });
const date = tuple(
  integer({ min: 1, max: 9999 }),
  integer({ min: 1, max: 12 }),
  integer({ min: 1, max: 28 }),
).map(
  ([year, month, day]) =>
    `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
);

function valueOf(field: SchemaField): Arbitrary<unknown> {
  if (field.fieldType === FIELD.text) return text;
  if (field.fieldType === FIELD.date) return date;
  if (field.fieldType === FIELD.boolean) return constantFrom(true, false);
  return field.fieldType === FIELD.number || field.fieldType === FIELD.currency
    ? double({ min: 1_000_000, max: 1e300, noNaN: true })
    : id;
}

type Pair = readonly [one: object, other: object];

/** One comparison twice: the same question with other values, in lists of other lengths too. */
function comparison(field: SchemaField, operation: FilterOperation): Arbitrary<Pair> {
  const one = valueOf(field);
  const { operand, rowOperator } = operation;
  const value = {
    none: constantFrom(undefined),
    one,
    pair: tuple(one, one),
    several: array(one, { minLength: 1, maxLength: 5 }),
  }[operand];
  const asks = (given: unknown) => ({
    [field.apiName]: operand === 'none' ? rowOperator : { [rowOperator]: given },
  });
  return tuple(value, value).map(([a, b]) => [asks(a), asks(b)]);
}

const comparisons = fields.flatMap((field) =>
  filterOperations
    .filter(({ fieldTypes }) => fieldTypes.includes(field.fieldType))
    .map((operation) => comparison(field, operation)),
);

const { tree } = letrec<{ tree: Pair }>((tie) => ({
  tree: oneof(
    { maxDepth: 5, withCrossShrink: true },
    oneof(...comparisons),
    record({
      group: constantFrom('$and', '$or'),
      of: array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }).map(({ group, of }): Pair => [
      { [group]: of.map(([one]) => one) },
      { [group]: of.map(([, other]) => other) },
    ]),
  ),
}));

function compiled(query: object): { sql: string; parameters: readonly unknown[] } {
  const { condition, faults } = parseQuery(JSON.stringify(query), find);
  if (!condition) throw new Error(JSON.stringify(faults));
  const { sql, parameters } = conditionSql(condition, byId, asked).compile(db);
  return { sql, parameters };
}

/** Everything that a query compares with. */
const valuesIn = (query: unknown): unknown[] => {
  if (Array.isArray(query)) return query.flatMap(valuesIn);
  if (typeof query === 'object' && query !== null) return Object.values(query).flatMap(valuesIn);
  return typeof query === 'string' && query.startsWith('$') && !query.startsWith('$1') ? [] : [query];
};

test('the SQL of a query depends on its shape alone, and every value is a parameter', () => {
  assert(
    property(tree, ([one, other]) => {
      const [first, second] = [compiled(one), compiled(other)];
      expect(second.sql).toBe(first.sql);
      expect(first.sql).not.toContain(MARK);
      expect(first.sql).not.toMatch(/\d{7}/);
      const given = first.parameters.flat().map(String).join('\n');
      const texts = valuesIn(one).filter((value) => typeof value === 'string' && value.startsWith(MARK));
      expect(given.split(MARK).length - 1).toBe(texts.length);
      const numbers = valuesIn(one).filter((value) => typeof value === 'number');
      expect(numbers.filter((value) => !given.includes(String(value)))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [{ F11: { $contains: '50%_\\' } }, String.raw`%50\%\_\\%`],
  [{ F12: { $startswith: 'A_b' } }, String.raw`a\_b%`],
  [{ F10: { $endswith: '%' } }, String.raw`%\%`],
  [{ F12: { $doesntContain: "';--" } }, `%';--%`],
])('signs of LIKE are letters in %j', (query, parameter) => {
  expect(compiled(query).parameters).toContain(parameter);
});

const forms = (operator: string, lengths: readonly number[]) =>
  new Set(lengths.map((length) => compiled({ F10: { [operator]: 'ä'.repeat(length) } }).sql)).size;

test('how long a text is decides between two forms of the question, nothing else does', () => {
  expect(forms('$eq', [1, 50, 199])).toBe(1);
  expect(forms('$eq', [200, 201, 5000])).toBe(1);
  expect(forms('$eq', [1, 5000])).toBe(2);
  expect(forms('$contains', [1, 2])).toBe(1);
  expect(forms('$contains', [3, 5000])).toBe(1);
});
