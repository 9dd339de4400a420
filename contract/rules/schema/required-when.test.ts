import { describe, expect, test } from 'vitest';
import { FIELD, FILTER, filterOperations, fieldTypes, type FieldType } from './fields.ts';
import {
  findConditionError,
  isRequiredNow,
  type RequiredWhenCondition,
  type ConditionField,
} from './required-when.ts';

const field = (fieldType: FieldType, more: Partial<ConditionField> = {}): ConditionField => ({
  fieldType,
  isMoney: false,
  isDateOnly: false,
  ...more,
});
const day = field(FIELD.date, { isDateOnly: true });
const money = field(FIELD.number, { isMoney: true });
const number = () => field(FIELD.number);
const file = [{ file: 1, name: 'a', type: 'b', size: 1 }];

const isMet = (conditionField: ConditionField, operation: number, value: unknown, stored: unknown) =>
  isRequiredNow(
    { match: 'all', conditions: [{ fieldId: 7, operation, value }] },
    (id) => (id === 7 ? conditionField : undefined),
    { 7: stored },
  );

test.each<[ConditionField, number, unknown, unknown, boolean]>([
  [field(FIELD.text), FILTER.equals, 'HAMBURG', 'Hamburg', true],
  [field(FIELD.text), FILTER.contains, 'burg', 'HAMBURG', true],
  [field(FIELD.text), FILTER.startsWith, 'ham', 'HAMBURG', true],
  [field(FIELD.text), FILTER.startsWith, 'burg', 'HAMBURG', false],
  [field(FIELD.text), FILTER.in, ['a', 'B'], 'b', true],
  [field(FIELD.number), FILTER.greater, 5, 5, false],
  [field(FIELD.number), FILTER.greaterOrEqual, 5, 5, true],
  [field(FIELD.number), FILTER.less, 5, 4, true],
  [field(FIELD.number), FILTER.lessOrEqual, 5, 5.1, false],
  [field(FIELD.number), FILTER.between, [1, 3], 3, true],
  [field(FIELD.number), FILTER.between, [3, 1], 2, false],
  [field(FIELD.number), FILTER.equals, 0, 0, true],
  [money, FILTER.greater, 10, { value: 12, currencyCode: 'EUR' }, true],
  [field(FIELD.currency), FILTER.equals, 12, { value: 12, currencyCode: 'EUR' }, true],
  [day, FILTER.less, '2026-03-02', '2026-03-01', true],
  [field(FIELD.date), FILTER.equals, '2026-03-01T08:00:00', '2026-03-01T08:00:00.000Z', true],
  [field(FIELD.date), FILTER.equals, '2026-03-01T09:00+01:00', '2026-03-01T08:00:00.000Z', true],
  [field(FIELD.boolean), FILTER.equals, false, false, true],
  [field(FIELD.boolean), FILTER.equals, false, undefined, false],
  [field(FIELD.choice), FILTER.equals, 4, 4, true],
  [field(FIELD.choice), FILTER.equals, 4, [3, 4], true],
  [field(FIELD.choice), FILTER.notEqualTo, 4, [3, 4], false],
  [field(FIELD.choice), FILTER.notIn, [1, 2], [3, 4], true],
  [field(FIELD.binary), FILTER.noData, undefined, file, false],
  [field(FIELD.image), FILTER.notNoData, undefined, file, true],
])(
  '%j with operation %i and operand %j, stored value %j: %s',
  (conditionField, operation, value, stored, met) => {
    expect(isMet(conditionField, operation, value, stored)).toBe(met);
  },
);

describe.each(fieldTypes)('a $name field without data', ({ id }) => {
  const matching: readonly (number | null)[] = [
    FILTER.noData,
    FILTER.notIn,
    FILTER.notEqualTo,
    FILTER.doesntContain,
  ];
  const operations = filterOperations.filter(
    ({ id: code, fieldTypes: types }) => code !== null && types.includes(id),
  );
  const operand =
    id === FIELD.text ? 'a' : id === FIELD.date ? '2026-03-01' : id === FIELD.boolean ? true : 1;

  test.each(operations)('$name', ({ id: code, operand: kind }) => {
    const value = kind === 'none' ? undefined : kind === 'one' ? operand : [operand, operand];
    expect(findConditionError({ fieldId: 7, operation: code ?? -1, value }, field(id))).toBeUndefined();
    for (const stored of [undefined, null])
      expect(isMet(field(id), code ?? -1, value, stored)).toBe(matching.includes(code));
  });
});

test('requires all or any of the conditions', () => {
  const conditions: RequiredWhenCondition[] = [
    { fieldId: 1, operation: FILTER.equals, value: 1 },
    { fieldId: 2, operation: FILTER.notNoData },
  ];
  const stored = { 1: 1 };
  expect(isRequiredNow({ match: 'all', conditions }, number, stored)).toBe(false);
  expect(isRequiredNow({ match: 'any', conditions }, number, stored)).toBe(true);
  expect(isRequiredNow({ match: 'all', conditions }, number, { ...stored, 2: 0 })).toBe(true);
});

test('ignores a condition on a deleted field', () => {
  const conditions = [{ fieldId: 1, operation: FILTER.noData }];
  expect(isRequiredNow({ match: 'any', conditions }, () => undefined, {})).toBe(false);
});

test.each<[ConditionField, number, unknown, unknown]>([
  [field(FIELD.text), 14, 'a', { path: 'operation', message: 'must be the code of a filter operation' }],
  [
    field(FIELD.text),
    FILTER.greater,
    'a',
    { path: 'operation', message: 'Greater is not for fields of type Text' },
  ],
  [
    field(FIELD.binary),
    FILTER.equals,
    1,
    { path: 'operation', message: 'Equals is not for fields of type Binary' },
  ],
  [field(FIELD.text), FILTER.equals, 1, { path: 'value', message: 'must be a text' }],
  [field(FIELD.number), FILTER.equals, '1', { path: 'value', message: 'must be a number' }],
  [field(FIELD.choice), FILTER.equals, 1.5, { path: 'value', message: 'must be the id of a choice' }],
  [field(FIELD.number), FILTER.in, [], { path: 'value', message: 'must be a list, each item a number' }],
  [
    field(FIELD.number),
    FILTER.between,
    [1],
    { path: 'value', message: 'must be a list of two, each a number' },
  ],
  [
    field(FIELD.number),
    FILTER.noData,
    1,
    { path: 'value', message: 'must be absent: NoData compares with nothing' },
  ],
  [
    day,
    FILTER.equals,
    '2026-03-01T00:00:00Z',
    { path: 'value', message: 'must be a day such as 2026-03-01' },
  ],
  [day, FILTER.equals, '2026-02-30', { path: 'value', message: 'must be a day such as 2026-03-01' }],
  [day, FILTER.equals, '2026-13-01', { path: 'value', message: 'must be a day such as 2026-03-01' }],
  [
    field(FIELD.date),
    FILTER.equals,
    'now',
    { path: 'value', message: 'must be a moment such as 2026-03-01T08:00:00Z' },
  ],
])('rejects %j with operation %i and operand %j: %j', (conditionField, operation, value, error) => {
  expect(findConditionError({ fieldId: 7, operation, value }, conditionField)).toEqual(error);
});
