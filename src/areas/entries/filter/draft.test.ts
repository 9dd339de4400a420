import {
  array,
  assert,
  boolean,
  constantFrom,
  float,
  integer,
  letrec,
  oneof,
  property,
  string,
} from 'fast-check';
import { expect, it, test } from 'vitest';
import { ENTRY_ID, MATCH_ALL } from '../../../../contract/rules/query/condition.ts';
import type { Comparison, Condition, ConditionGroup } from '../../../../contract/rules/query/condition.ts';
import { parseQueryObject } from '../../../../contract/rules/query/parse.ts';
import { FIELD, filterOperations } from '../../../../contract/rules/schema/fields.ts';
import { formatDateValue, formatZoneName } from '../model/dates.ts';
import { createField } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import {
  buildMissingValueQuery,
  listChoiceOptions,
  replaceCondition,
  toFilterDraft,
  toQueryObject,
} from './draft.ts';
import { formatFilterText, parseFilter } from './draft.ts';
import { formatFilter, formatRequiredWhen, formatComparisonParts } from './format-filter.ts';
import { findOperation, getOperations } from './operators.ts';

const stage = createField(2, 'Stage', FIELD.choice, { choiceValues: [{ id: 4, name: 'Won', seqNumber: 1 }] });
const fields = [
  createField(1, 'Name', FIELD.text, { isKey: true }),
  stage,
  createField(3, 'Founded', FIELD.number),
  createField(4, 'Added', FIELD.date, { isDateOnly: true }),
  createField(5, 'Active', FIELD.boolean),
];
const find = (name: string) => fields.find(({ apiName }) => apiName === name);
const compare = (name: string, operator: string, ...operands: Comparison['operands']): Comparison => ({
  kind: 'comparison',
  field: find(name) ?? ENTRY_ID,
  operation: findOperation(operator),
  operands,
});
const group = (match: ConditionGroup['match'], ...conditions: Condition[]): ConditionGroup => ({
  kind: 'group',
  match,
  conditions,
});
const parseDraft = (query: object): ConditionGroup =>
  toFilterDraft(parseFilter({ ...query }, fields).condition);

test.each<[string, ConditionGroup, object | undefined]>([
  ['an empty draft', MATCH_ALL, undefined],
  ['an equality as a plain value', group('all', compare('Name', '$eq', 'Hafen')), { Name: 'Hafen' }],
  ['no data as a marker', group('all', compare('Name', '$noData')), { Name: '$noData' }],
  ['the text of a marker', group('all', compare('Name', '$eq', '$noData')), { Name: { $in: ['$noData'] } }],
  [
    'the negated text of a marker',
    group('all', compare('Name', '$not', '$NODATA')),
    { Name: { $nin: ['$NODATA'] } },
  ],
  [
    'several fields in one object',
    group('all', compare('Stage', '$in', 4, 5), compare('Founded', '$gte', 1990)),
    { Stage: { $in: [4, 5] }, Founded: { $gte: 1990 } },
  ],
  [
    'a repeated field as $and',
    group('all', compare('Founded', '$gt', 1), compare('Founded', '$lt', 9)),
    { $and: [{ Founded: { $gt: 1 } }, { Founded: { $lt: 9 } }] },
  ],
  [
    'nested groups',
    group(
      'any',
      compare('Active', '$eq', true),
      group('all', compare('Stage', '$eq', 4), compare('Name', '$noData')),
    ),
    { $or: [{ Active: true }, { Stage: 4, Name: '$noData' }] },
  ],
  [
    'nothing for incomplete comparisons',
    group('all', compare('Founded', '$between', 1), compare('Name', '$eq', '')),
    undefined,
  ],
  [
    'a list without its empty last line',
    group('all', compare('Founded', '$in', 1990, '')),
    { Founded: { $in: [1990] } },
  ],
])('serializes %s', (_name, draft, query) => {
  expect(toQueryObject(draft)).toEqual(query);
});

const operandArbitraries: Partial<
  Record<number, () => ReturnType<typeof string> | ReturnType<typeof integer>>
> = {
  [FIELD.text]: () => string({ minLength: 1 }).filter((text) => !text.includes('\0')),
  [FIELD.choice]: () => integer({ min: 1, max: 99 }),
};
const comparison = constantFrom(...fields).chain((compared) =>
  constantFrom(...getOperations(compared.fieldType)).chain((operation) => {
    const operand =
      compared.fieldType === FIELD.number
        ? float({ noNaN: true, noDefaultInfinity: true })
        : compared.fieldType === FIELD.date
          ? constantFrom('2026-03-01', '1999-12-31')
          : compared.fieldType === FIELD.boolean
            ? boolean()
            : (operandArbitraries[compared.fieldType]?.() ?? integer());
    const size = { none: 0, one: 1, pair: 2, several: 3 }[operation.operand];
    return array<string | number | boolean>(operand, { minLength: size, maxLength: size }).map((operands) =>
      compare(compared.apiName, operation.rowOperator, ...operands),
    );
  }),
);
const { node } = letrec<{ node: Condition }>((tie) => ({
  node: oneof(
    { maxDepth: 3 },
    comparison,
    array(tie('node'), { minLength: 1, maxLength: 3 }).chain((conditions) =>
      constantFrom<ConditionGroup['match']>('all', 'any').map((match) => group(match, ...conditions)),
    ),
  ),
}));

it('serializes queries that the service parses to the same query', () => {
  assert(
    property(node, (condition) => {
      const query = toQueryObject(group('all', condition));
      const parsed = parseQueryObject(query ?? {}, find);
      expect(parsed.errors).toBeUndefined();
      expect(toQueryObject(parsed.condition ?? MATCH_ALL)).toEqual(query);
    }),
  );
});

it('replaces or removes only the condition at the path', () => {
  const draft = group(
    'all',
    compare('Name', '$eq', 'a'),
    group('any', compare('Stage', '$eq', 4), compare('Stage', '$eq', 5)),
  );
  expect(replaceCondition(draft, [1, 0], undefined)).toEqual(
    group('all', draft.conditions[0] ?? MATCH_ALL, group('any', compare('Stage', '$eq', 5))),
  );
  expect(replaceCondition(draft, [], group('any'))).toEqual(group('any'));
});

it('parses JSON5 and reports every error with its path', () => {
  expect(parseFilter("{name: 'x'}", fields).condition).toBeDefined();
  expect(parseFilter('{Nope: 1, Founded: "x"}', fields).errors?.map(({ path }) => path)).toEqual([
    'query.Nope',
    'query.Founded',
  ]);
  expect(formatFilterText({ Stage: 4 })).toBe('{"Stage":4}');
});

const lookUpName = (each: Field, id: number) => (each === stage && id === 4 ? 'Won' : undefined);

it('formats a filter as a clause', () => {
  const format = (query: object) => formatFilter(parseDraft(query), fields, { lookUpName, zone: 'UTC' });
  expect(format({ Stage: { $in: [4, 9] } })).toBe('Stage is one of Won or #9');
  expect(format({ $or: [{ Active: true }, { Name: 'x', Founded: { $between: [1, 2] } }] })).toBe(
    'Active is yes or (Name is “x” and Founded is between 1 and 2)',
  );
  const required = {
    match: 'any' as const,
    conditions: [
      { fieldId: 2, operation: 0, value: 4 },
      { fieldId: 3, operation: 12 },
    ],
  };
  expect(formatRequiredWhen(required, new Map(fields.map((each) => [each.id, each])), 'UTC')).toBe(
    'Stage is Won or Founded has no data',
  );
});

test.each([
  ['UTC', '2026-03-01T20:30:00Z', '2026-03-01', '20:30'],
  ['America/St_Johns', '2026-03-01T20:30:00Z', '2026-03-01', '17:00'],
  ['America/St_Johns', '2026-03-01T20:30:00', '2026-03-01', '17:00'],
  ['America/St_Johns', '2026-03-01', '2026-02-28', '20:30'],
  ['Pacific/Kiritimati', '2026-03-01T20:30:00Z', '2026-03-02', '10:30'],
])('names a date with a time in %s and says the zone: %s', (zone, value, day, time) => {
  const text = `${formatDateValue(day, true)}, ${time} ${formatZoneName(value, zone)}`;
  const starts = createField(6, 'Starts', FIELD.date);
  const condition = { ...compare('Added', '$gt', value), field: starts };
  const display = { lookUpName, zone };
  expect(formatFilter(condition, [starts], display)).toBe(`Starts is after ${text}`);
  expect(formatComparisonParts(condition, [starts], display).value).toBe(text);
  const rule = { match: 'all' as const, conditions: [{ fieldId: 6, operation: 4, value }] };
  expect(formatRequiredWhen(rule, new Map([[6, starts]]), zone)).toContain(text);
});

test('a text that is not a date stays as it is', () => {
  const starts = createField(6, 'Starts', FIELD.date);
  const condition = { ...compare('Added', '$gt', 'soon'), field: starts };
  expect(formatFilter(condition, [starts], { lookUpName, zone: 'Pacific/Kiritimati' })).toBe(
    'Starts is after soon',
  );
});

test('days without a time are the same in every zone', () => {
  const display = { lookUpName, zone: 'Pacific/Kiritimati' };
  expect(formatFilter(compare('Added', '$eq', '2026-03-01'), fields, display)).toBe(
    `Added is ${formatDateValue('2026-03-01', true)}`,
  );
});

const parts = (each: Comparison) => formatComparisonParts(each, fields, { lookUpName, zone: 'UTC' });

it('formats the parts of a filter chip, counting further values', () => {
  expect(parts(compare('Stage', '$in', 4, 9, 10))).toEqual({
    field: 'Stage',
    operator: 'is one of',
    value: 'Won, #9, or 1 more',
  });
  expect(parts(compare('Founded', '$between', 1, 2)).value).toBe('1 and 2');
  expect(parts(compare('Stage', '$noData', 4))).toMatchObject({ operator: 'has no data', value: '' });
});

it('formats a long query on several lines, lists of values on one', () => {
  const ids = Array.from({ length: 40 }, (_, at) => at);
  expect(formatFilterText({ Stage: { $in: ids }, $or: [{ Name: 'x'.repeat(40) }] })).toBe(
    `{\n  "Stage": {\n    "$in": ${JSON.stringify(ids)}\n  },\n  "$or": [{"Name":"${'x'.repeat(40)}"}]\n}`,
  );
});

it('has a text for every operation', () => {
  const display = { lookUpName: () => undefined, zone: 'UTC' };
  for (const { rowOperator } of filterOperations)
    expect(formatFilter(compare('Name', rowOperator, 'x', 'y'), fields, display)).not.toContain('$');
});

test('the query for a missing required value repeats the conditions of its rule', () => {
  const owner = createField(5, 'Owner', FIELD.user, { isRequired: true });
  const size = createField(2, 'Size', FIELD.number, {
    requiredWhen: {
      match: 'any',
      conditions: [
        { fieldId: 1, operation: 0, value: 4 },
        { fieldId: 3, operation: 13 },
      ],
    },
  });
  const optional = createField(1, 'Stage', FIELD.choice, {
    choiceValues: [{ id: 4, name: 'Won', seqNumber: 1 }],
  });
  const calculated = createField(3, 'Double', FIELD.number, { isCalculated: true, formula: 'Size * 2' });
  const schema = buildSchema([], [owner, size, optional, calculated]);
  expect(buildMissingValueQuery(owner, schema)).toEqual({ Owner: '$noData' });
  expect(buildMissingValueQuery(size, schema)).toEqual({
    Size: '$noData',
    $or: [{ Stage: 4 }, { Double: '$notNoData' }],
  });
  expect(buildMissingValueQuery(optional, schema)).toBeUndefined();
});

it('offers compared choices that were deleted, to be unchecked', () => {
  expect(listChoiceOptions(stage, compare('Stage', '$in', 4, 9))).toEqual([
    { value: '4', label: 'Won' },
    { value: '9', label: '#9 (deleted)' },
  ]);
});
