import { assert, json, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD, type FieldType, FILTER, filterOperations } from '../schema/fields.ts';
import { type Condition, QUERY_LIMITS, type QueryField } from './condition.ts';
import { parseFilterItems, parseQuery } from './parse.ts';

const field = (
  id: number,
  apiName: string,
  fieldType: FieldType,
  more: Partial<QueryField> = {},
): QueryField => ({
  id,
  apiName,
  fieldType,
  isMultiSelect: false,
  isMoney: false,
  isDateOnly: false,
  ...more,
});
const fields = [
  field(1, 'Name', FIELD.text),
  field(2, 'Stage', FIELD.choice),
  field(3, 'Founded', FIELD.date, { isDateOnly: true }),
  field(4, 'Revenue', FIELD.number, { isMoney: true }),
  field(5, 'Active', FIELD.boolean),
  field(6, 'Logo', FIELD.image),
];
const find = (name: string) => fields.find(({ apiName }) => apiName.toLowerCase() === name.toLowerCase());
const findById = (id: number) => fields.find((candidate) => candidate.id === id);

const joinComparisons = (count: number) =>
  `{"$or": [${Array.from({ length: count }, () => '{"Stage": 1}').join(',')}]}`;
const item = (fieldId: number, filterOperation: number, value?: unknown, more: object = {}) =>
  parseFilterItems([{ fieldId, filterOperation, value, ...more }], findById);

/** A condition as text: `all(Name $contains "x", any(…))`. */
function format(condition: Condition): string {
  if (condition.kind === 'group') return `${condition.match}(${condition.conditions.map(format).join(', ')})`;
  const { field: comparedField, operation, operands } = condition;
  const name = comparedField === 'EntryId' ? comparedField : comparedField.apiName;
  return [name, operation.rowOperator, ...operands.map((operand) => JSON.stringify(operand))].join(' ');
}
const parse = (text: string) => {
  const { condition, errors } = parseQuery(text, find);
  return condition ? format(condition) : errors;
};

test.each([
  ['', 'all()'],
  ['{}', 'all()'],
  ['{"Name": "Hafen"}', 'Name $eq "Hafen"'],
  ['{name: "Hafen"}', 'Name $eq "Hafen"'],
  ["{NAME: {$CONTAINS: 'a\\'b'}}", 'Name $contains "a\'b"'],
  ['{"Stage": 4, "Active": true}', 'all(Stage $eq 4, Active $eq true)'],
  ['{"Revenue": {"$gt": 1, "$lte": 5}}', 'all(Revenue $gt 1, Revenue $lte 5)'],
  ['{"Founded": {"$between": ["1990-01-01", "2000-12-31"]}}', 'Founded $between "1990-01-01" "2000-12-31"'],
  ['{"Stage": {"$in": [1, 2]}}', 'Stage $in 1 2'],
  ['{"Name": "$noData"}', 'Name $noData'],
  ['{"Name": "$NOTNODATA"}', 'Name $notNoData'],
  ['{"Name": {"$not": "$noData"}}', 'Name $notNoData'],
  ['{"Logo": "$notNoData"}', 'Logo $notNoData'],
  ['{"Founded": "2026-03-01t08:00:00z"}', 'Founded $eq "2026-03-01t08:00:00z"'],
  ['{"EntryId": {"$gt": 7}}', 'EntryId $gt 7'],
  ['{"entryid": 7}', 'EntryId $eq 7'],
  [
    '{"$or": [{"Stage": 1}, {"$and": [{"Stage": 2}, {"Active": false}]}]}',
    'any(Stage $eq 1, all(Stage $eq 2, Active $eq false))',
  ],
  [`{"Name": "${'{['.repeat(40)}"}`, `Name $eq "${'{['.repeat(40)}"`],
])('parses %s', (text, expected) => {
  expect(parse(text)).toBe(expected);
});

test.each([
  ['{"Nmae": 1}', 'query.Nmae', 'Field with name "Nmae" does not exist'],
  ['{"Name": null}', 'query.Name', 'is null: use "$noData" or "$notNoData"'],
  ['{"Name": 5}', 'query.Name', 'must be a text of at most 10000 characters'],
  ['{"Stage": "Won"}', 'query.Stage', 'must be the id of a choice, a whole number'],
  ['{"Stage": 1.5}', 'query.Stage', 'must be the id of a choice, a whole number'],
  ['{"Stage": [1]}', 'query.Stage', 'is a list: Equals compares with one value, $in with several'],
  ['{"Stage": {"$not": [1]}}', 'query.Stage.$not', /^is a list: .*, \$nin with several$/],
  [String.raw`{"Name": "a\u0000"}`, 'query.Name', 'must not contain NUL or half a surrogate pair'],
  [
    String.raw`{"Name": {"$in": ["\ud83d\ude00", "\ud83d"]}}`,
    'query.Name.$in.1',
    'must not contain NUL or half a surrogate pair',
  ],
  ...[
    '2026-02-30',
    '0000-01-01',
    '2026-02-03T24:00:00Z',
    '2026-02-03T08:60Z',
    '2026-02-03T08:00:60Z',
    '2026-02-03T08:00:00+24:00',
    '2026-02-03T08:00:00-08:60',
  ].map((text): [string, string, string] => [
    `{"Founded": "${text}"}`,
    'query.Founded',
    'must be a date, such as 2026-03-01 or 2026-03-01T08:00:00Z',
  ]),
  ['{"Revenue": {"$in": [1, "2"]}}', 'query.Revenue.$in.1', 'must be a number'],
  ['{"Revenue": {"$between": [1]}}', 'query.Revenue.$between', 'must be a list of two values: from and to'],
  ['{"Revenue": {"$in": []}}', 'query.Revenue.$in', 'must have at least one value'],
  ['{"Logo": "x"}', 'query.Logo', 'Logo does not support $eq, only $noData, $notNoData'],
  [
    '{"Active": {"$gt": true}}',
    'query.Active.$gt',
    'Active does not support $gt, only $eq, $not, $noData, $notNoData',
  ],
  ['{"EntryId": "$noData"}', 'query.EntryId', /^EntryId does not support \$noData, only \$eq/],
  ['{"Name": {"$regex": "x"}}', 'query.Name.$regex', /^Unknown operator \$regex: operators are \$eq/],
  [
    '{"Name": {"$noData": true}}',
    'query.Name.$noData',
    'Unknown operator $noData: write "$noData" as the value',
  ],
  ['{"Name": {}}', 'query.Name', /^must name an operator/],
  ['{"$nor": []}', 'query.$nor', 'Unknown group $nor: groups are $and and $or'],
  ['{"$or": []}', 'query.$or', 'must be a list of at least one condition'],
  ['{"$or": [1]}', 'query.$or.0', 'must be an object of conditions'],
  ['[]', 'query', 'must be an object of conditions'],
  ['{"Name": ', 'query', /^is not valid JSON/],
  ['{"__proto__": {"Name": 1}}', 'query.__proto__', 'is not allowed as a name'],
  ['{Name: {"constructor": 1}}', 'query.Name.constructor', 'is not allowed as a name'],
  ['{"Name": "a", "Name": "b"}', 'query.Name', 'is given twice'],
  ["{$or: [{Name: 'a'}, {Stage: 1, 'Stage': 2}]}", 'query.$or.1.Stage', 'is given twice'],
  ['{"Revenue": {"$gt": 9007199254740993}}', 'query.Revenue.$gt', /would become 9007199254740992$/],
  ['{Revenue: {$in: [1, 0.1234567890123456789]}}', 'query.Revenue.$in.1', /^0\.1234567890123456789 cannot/],
  ['{Revenue:\u00a09007199254740993}', 'query.Revenue', /would become 9007199254740992$/],
  ['//\r{Revenue: 9007199254740993}', 'query.Revenue', /would become 9007199254740992$/],
  [String.raw`{Name: 'a', \u004eame: 'b'}`, 'query.Name', 'is given twice'],
  ["{Name: 'a',\u00a0Name: 'b'}", 'query.Name', 'is given twice'],
  [String.raw`{\u005f_proto__: 2}`, 'query.__proto__', 'is not allowed as a name'],
  ['{\u00a0__proto__: 2}', 'query.__proto__', 'is not allowed as a name'],
  [`//\r${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'query', 'is nested deeper than 8 levels'],
  [`{Name: "${'a'.repeat(65_536)}"}`, 'query', /more than 65536 characters cannot use the notation of JSON5/],
  [
    `${'{"$and":['.repeat(9)}{}${']}'.repeat(9)}`,
    `query${'.$and.0'.repeat(8)}`,
    'is nested deeper than 8 levels',
  ],
  ['['.repeat(100_000), 'query', 'is nested deeper than 8 levels'],
] as const)('rejects %s', (text, path, message) => {
  const errors = parseQuery(text, find).errors ?? [];
  expect(errors.map((error) => error.path)).toEqual([path]);
  expect(errors[0]?.message).toMatch(message);
});

test('reports all errors at once', () => {
  expect(parse('{"A": 1, "$or": [{"B": 2}, {"Stage": "x"}]}')).toHaveLength(3);
});

test('rejects more comparisons than the limit', () => {
  expect(parseQuery(joinComparisons(QUERY_LIMITS.comparisons), find).errors).toBeUndefined();
  expect(parse(joinComparisons(QUERY_LIMITS.comparisons + 1))).toEqual([
    { path: 'query', message: 'has more than 100 comparisons' },
  ]);
});

test('parses or rejects any text and never throws', () => {
  assert(
    property(
      oneof(
        string(),
        json(),
        json().map((text) => `{"Name": ${text}}`),
      ),
      (text) => {
        const { condition, errors } = parseQuery(text, find);
        expect(condition === undefined).toBe(errors !== undefined && errors.length > 0);
      },
    ),
  );
});

describe('filter items', () => {
  test.each([
    [item(4, FILTER.between, 10, { valueTo: 20 }), 'Revenue $between 10 20'],
    [item(2, FILTER.in, [1, 2]), 'Stage $in 1 2'],
    [item(2, FILTER.notIn, 1), 'Stage $nin 1'],
    [item(6, FILTER.noData), 'Logo $noData'],
    [item(1, FILTER.doesntContain, 'x'), 'Name $doesntContain "x"'],
  ])('%#', ({ condition }, expected) => {
    expect(condition && format(condition)).toBe(expected);
  });

  test('accepts a currency for money fields only', () => {
    expect(item(4, FILTER.greater, 1, { currencyCode: 'EUR' }).condition).toMatchObject({
      currencyCode: 'EUR',
    });
    expect(item(1, FILTER.equals, 'x', { currencyCode: 'EUR' }).errors).toEqual([
      { path: '0.currencyCode', message: 'Name is not a money field' },
    ]);
  });

  test('reports errors with their paths', () => {
    expect(item(9, 0, 1).errors).toEqual([{ path: '0.fieldId', message: 'Field with id 9 does not exist' }]);
    expect(item(1, 99, 1).errors).toEqual([
      { path: '0.filterOperation', message: 'Operation 99 does not exist' },
    ]);
    expect(item(5, FILTER.equals, 'yes').errors).toEqual([
      { path: '0.value', message: 'must be true or false' },
    ]);
    expect(item(4, FILTER.between, 10).errors).toEqual([{ path: '0.valueTo', message: 'must be a number' }]);
    expect(item(4, FILTER.between, 'x', { valueTo: 1 }).errors?.[0]?.path).toBe('0.value');
    expect(item(4, FILTER.contains, 'x').errors?.[0]?.path).toBe('0.filterOperation');
    expect(item(4, FILTER.greater, 10, { valueTo: null }).errors).toBeUndefined();
    expect(item(4, FILTER.greater, 10, { valueTo: 20 }).errors).toEqual([
      { path: '0.valueTo', message: 'is only for Between' },
    ]);
  });

  test('has an operation for every code', () => {
    const codes = filterOperations.filter(({ id }) => id !== null).map(({ id }) => id);
    expect(codes.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 14 }, (_, code) => code),
    );
  });
});

test('stops after the first errors and comparisons of a long text', () => {
  const names = Array.from({ length: 90_000 }, (_, index) => `"n${index}":1`).join();
  expect(parseQuery(`{${names}}`, find).errors).toHaveLength(QUERY_LIMITS.errors);
  const listErrors = (text: string) => parseQuery(text, find).errors;
  expect(listErrors(`[${'1e999,'.repeat(90_000)}1]`)).toHaveLength(QUERY_LIMITS.errors);
  expect(listErrors(joinComparisons(90_000))).toEqual([
    { path: 'query', message: 'has more than 100 comparisons' },
  ]);
  expect(parse(`{"Name": ${' '.repeat(900_000)}"a"}`)).toBe('Name $eq "a"');
});

const createGroups = (count: number) => `{"$or": [{"Name": "a"},${'{},'.repeat(count)}{}]}`;

test('rejects more objects, lists and properties than the limit, also where none of them compares anything', () => {
  expect(parseQuery(createGroups(9_000), find).errors).toBeUndefined();
  const message = 'has more than 10000 objects, lists and properties';
  expect(parseQuery(createGroups(90_000), find).errors).toEqual([{ path: 'query', message }]);
});
