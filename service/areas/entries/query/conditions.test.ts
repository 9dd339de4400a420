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
import { parseQuery } from '../../../../contract/rules/query/parse.ts';
import {
  FIELD,
  type FieldType,
  type FilterOperation,
  filterOperations,
} from '../../../../contract/rules/schema/fields.ts';
import type { SchemaField } from '../../schema/index.ts';
import { conditionSql } from './matching.store.ts';
import { createQueryContext } from './resolve-query.ts';

const db = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (over) => new PostgresIntrospector(over),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const context = createQueryContext(3, 0, { user: 'UTC', site: 'UTC' });

const createField = (
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
  formulaMaxLength: null,
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
  createField(10, FIELD.text, 'name'),
  createField(11, FIELD.text, 't1'),
  createField(12, FIELD.text, null),
  createField(13, FIELD.number, 'n1'),
  createField(14, FIELD.number, null),
  createField(15, FIELD.date, 'n2'),
  createField(16, FIELD.date, null),
  createField(17, FIELD.choice, 'n3'),
  createField(18, FIELD.choice, null, true),
  createField(19, FIELD.reference, null, true),
  createField(20, FIELD.currency, null),
  createField(21, FIELD.boolean, null),
  createField(22, FIELD.image, null),
] as const;
const find = (name: string) => fields.find(({ apiName }) => apiName.toLowerCase() === name.toLowerCase());
const getField = (id: number) => {
  const field = fields.find((candidate) => candidate.id === id);
  if (!field) throw new Error(`Unknown field ${id}`);
  return field;
};

/** Part of every text operand; it must not occur in the SQL. */
const MARK = 'zqzq';
const PAYLOADS = ["'; drop table entry; --", '$1', '${1}', '%', '_', '\\', '"', '?', '/*', '\u0001', 'ÄÖ'];
const text = oneof(string({ maxLength: 40 }), constantFrom(...PAYLOADS))
  .map((value) => `${MARK}${value.replaceAll('\0', '').toWellFormed()}`)
  // A text that is an operator would be another query.
  .filter((value) => !value.startsWith('$'));
const id = integer({ min: 1_000_000, max: 2_147_483_647 });
const date = tuple(
  integer({ min: 1, max: 9999 }),
  integer({ min: 1, max: 12 }),
  integer({ min: 1, max: 28 }),
).map(
  ([year, month, day]) =>
    `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
);

function arbitraryValue(field: SchemaField): Arbitrary<unknown> {
  if (field.fieldType === FIELD.text) return text;
  if (field.fieldType === FIELD.date) return date;
  if (field.fieldType === FIELD.boolean) return constantFrom(true, false);
  return field.fieldType === FIELD.number || field.fieldType === FIELD.currency
    ? double({ min: 1_000_000, max: 1e300, noNaN: true })
    : id;
}

/** Two queries of the same shape with different values. */
type QueryPair = readonly [one: object, other: object];

/** A comparison with different values, in lists of different lengths as well. */
function arbitraryComparison(field: SchemaField, operation: FilterOperation): Arbitrary<QueryPair> {
  const one = arbitraryValue(field);
  const { operand, rowOperator } = operation;
  const value = {
    none: constantFrom(undefined),
    one,
    pair: tuple(one, one),
    several: array(one, { minLength: 1, maxLength: 5 }),
  }[operand];
  const toQuery = (operands: unknown) => ({
    [field.apiName]: operand === 'none' ? rowOperator : { [rowOperator]: operands },
  });
  return tuple(value, value).map(([a, b]) => [toQuery(a), toQuery(b)]);
}

const comparisons = fields.flatMap((field) =>
  filterOperations
    .filter(({ fieldTypes }) => fieldTypes.includes(field.fieldType))
    .map((operation) => arbitraryComparison(field, operation)),
);

const { tree } = letrec<{ tree: QueryPair }>((tie) => ({
  tree: oneof(
    { maxDepth: 5, withCrossShrink: true },
    oneof(...comparisons),
    record({
      group: constantFrom('$and', '$or'),
      queries: array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }).map(({ group, queries }): QueryPair => [
      { [group]: queries.map(([one]) => one) },
      { [group]: queries.map(([, other]) => other) },
    ]),
  ),
}));

function compile(query: object): { sql: string; parameters: readonly unknown[] } {
  const { condition, errors } = parseQuery(JSON.stringify(query), find);
  if (!condition) throw new Error(JSON.stringify(errors));
  const { sql, parameters } = conditionSql(condition, getField, context).compile(db);
  return { sql, parameters };
}

/** All operands of a query. */
const listOperands = (query: unknown): unknown[] => {
  if (Array.isArray(query)) return query.flatMap(listOperands);
  if (typeof query === 'object' && query !== null) return Object.values(query).flatMap(listOperands);
  return typeof query === 'string' && query.startsWith('$') && !query.startsWith('$1') ? [] : [query];
};

test('builds SQL from the shape of a query only and passes every value as a parameter', () => {
  assert(
    property(tree, ([one, other]) => {
      const [first, second] = [compile(one), compile(other)];
      expect(second.sql).toBe(first.sql);
      expect(first.sql).not.toContain(MARK);
      expect(first.sql).not.toMatch(/\d{7}/);
      const parameters = first.parameters.flat().map(String).join('\n');
      const texts = listOperands(one).filter((value) => typeof value === 'string' && value.startsWith(MARK));
      expect(parameters.split(MARK).length - 1).toBe(texts.length);
      const numbers = listOperands(one).filter((value) => typeof value === 'number');
      expect(numbers.filter((value) => !parameters.includes(String(value)))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [{ F11: { $contains: '50%_\\' } }, String.raw`%50\%\_\\%`],
  [{ F12: { $startswith: 'A_b' } }, String.raw`a\_b%`],
  [{ F10: { $endswith: '%' } }, String.raw`%\%`],
  [{ F12: { $doesntContain: "';--" } }, `%';--%`],
])('escapes the wildcards of LIKE in %j', (query, parameter) => {
  expect(compile(query).parameters).toContain(parameter);
});

const countStatements = (operator: string, lengths: readonly number[]) =>
  new Set(lengths.map((length) => compile({ F10: { [operator]: 'ä'.repeat(length) } }).sql)).size;

test('builds different SQL for texts beyond the length of slots and searches below trigram length only', () => {
  expect(countStatements('$eq', [1, 50, 199])).toBe(1);
  expect(countStatements('$eq', [200, 201, 5000])).toBe(1);
  expect(countStatements('$eq', [1, 5000])).toBe(2);
  expect(countStatements('$contains', [1, 2])).toBe(1);
  expect(countStatements('$contains', [3, 5000])).toBe(1);
});
