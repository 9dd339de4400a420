import { expect, it } from 'vitest';
import type { FieldVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { findFieldUsage, formatFieldType, getReferencingFields } from './field-usage.ts';
import { FIELD_DEFAULTS } from './field.fixture.ts';
import { buildSchema } from './schema.ts';
import type { Field } from './schema.ts';
import { formatItem, toItems, isEndAligned } from './values.ts';

const field = (id: number, apiName: string, fieldType: number, more: Partial<FieldVm> = {}): FieldVm => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
  ...FIELD_DEFAULTS,
  ...more,
});

const type = {
  id: 1,
  apiName: 'Deal',
  singularName: 'Deal',
  pluralName: 'Deals',
  name: 'Deal',
  entryListId: -5,
};
const schema = buildSchema(
  [type],
  [
    field(1, 'Stage', FIELD.choice, { choiceValues: [{ id: 4, name: 'Won', seqNumber: 1 }] }),
    field(2, 'Size', FIELD.number, {
      requiredWhen: {
        match: 'any',
        conditions: [
          { fieldId: 1, operation: 0, value: 4 },
          { fieldId: 3, operation: 13 },
        ],
      },
    }),
    field(3, 'Double', FIELD.number, { isCalculated: true, formula: 'Size * 2' }),
    field(4, 'Parent', FIELD.reference, { entryLists: [1], isMultiSelect: true }),
    field(5, 'Owner', FIELD.user, { isRequired: true }),
    field(6, 'Unknown', 99),
  ],
);
const getField = (name: string): Field => {
  const found = schema.getFields(1).find(({ apiName }) => apiName === name);
  if (!found) throw new Error(`There is no field ${name}`);
  return found;
};

it('leaves out fields of unsupported types', () => {
  expect(schema.getFields(1)).toHaveLength(5);
  expect(schema.getFields(2)).toEqual([]);
});

it('formats field types', () => {
  expect(formatFieldType(getField('Parent'), schema)).toBe('Reference to Deal, several');
  expect(formatFieldType({ ...getField('Size'), isMoney: true }, schema)).toBe(
    'Number, an amount with its currency',
  );
});

it('finds the fields that depend on a field and those that refer to a type', () => {
  const usage = findFieldUsage(getField('Size'), schema.getFields(1));
  expect(usage.formulas.map(({ apiName }) => apiName)).toEqual(['Double']);
  expect(
    findFieldUsage(getField('Stage'), schema.getFields(1)).conditions.map(({ apiName }) => apiName),
  ).toEqual(['Size']);
  expect(getReferencingFields(1, schema).map(({ apiName }) => apiName)).toEqual(['Parent']);
});

it('formats each kind of value', () => {
  const text = (value: Parameters<typeof formatItem>[0], name = 'Size') => formatItem(value, getField(name));
  expect(text(1902)).toBe('1902');
  expect(text(true)).toBe('Yes');
  expect(text({ value: 1500.5, currencyCode: 'EUR' })).toMatch(/EUR.1,500\.5/);
  expect(text({ value: 5, currencyCode: '??' })).toBe('?? 5');
  expect(text({ id: 4, name: 'Won' })).toBe('Won');
  expect(toItems('')).toEqual([]);
  expect(toItems([1, 2])).toEqual([1, 2]);
  expect([isEndAligned(getField('Size')), isEndAligned(getField('Stage'))]).toEqual([true, false]);
});
