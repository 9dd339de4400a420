import { expect, it } from 'vitest';
import { FIELD } from '../../../../contract/rules/fields.ts';
import type { FieldVm } from '../../../api/generated/types.gen.ts';
import { lackingQuery, referringTo, typeWords, usesOf } from './schema-words.ts';
import { schemaOf } from './schema.ts';
import type { Field } from './schema.ts';
import { itemText, itemsOf, standsAtEnd } from './values.ts';
import { PLAIN_FIELD } from './field.fixture.ts';

const field = (id: number, apiName: string, fieldType: number, more: Partial<FieldVm> = {}): FieldVm => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
  ...PLAIN_FIELD,
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
const schema = schemaOf(
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
const called = (name: string): Field => {
  const found = schema.fieldsOf(1).find(({ apiName }) => apiName === name);
  if (!found) throw new Error(`There is no field ${name}`);
  return found;
};

it('knows the fields whose types it knows', () => {
  expect(schema.fieldsOf(1)).toHaveLength(5);
  expect(schema.fieldsOf(2)).toEqual([]);
});

it('says types in words', () => {
  expect(typeWords(called('Parent'), schema)).toBe('Reference to Deal, several');
  expect(typeWords({ ...called('Size'), isMoney: true }, schema)).toBe('Number, an amount with its currency');
});

it('finds where a field is used, and who may refer to a type', () => {
  const uses = usesOf(called('Size'), schema.fieldsOf(1));
  expect(uses.formulas.map(({ apiName }) => apiName)).toEqual(['Double']);
  expect(usesOf(called('Stage'), schema.fieldsOf(1)).conditions.map(({ apiName }) => apiName)).toEqual([
    'Size',
  ]);
  expect(referringTo(1, schema).map(({ apiName }) => apiName)).toEqual(['Parent']);
});

it('asks for the entries that lack a value they need', () => {
  expect(lackingQuery(called('Owner'), schema)).toEqual({ Owner: '$noData' });
  expect(lackingQuery(called('Size'), schema)).toEqual({
    Size: '$noData',
    $or: [{ Stage: 4 }, { Double: '$notNoData' }],
  });
  expect(lackingQuery(called('Stage'), schema)).toBeUndefined();
});

it('shows each kind of value as a text', () => {
  const text = (value: Parameters<typeof itemText>[0], name = 'Size') => itemText(value, called(name));
  expect(text(1902)).toBe('1902');
  expect(text(true)).toBe('Yes');
  expect(text({ value: 1500.5, currencyCode: 'EUR' })).toMatch(/EUR.1,500\.5/);
  expect(text({ value: 5, currencyCode: '??' })).toBe('?? 5');
  expect(text({ id: 4, name: 'Won' })).toBe('Won');
  expect(itemsOf('')).toEqual([]);
  expect(itemsOf([1, 2])).toEqual([1, 2]);
  expect([standsAtEnd(called('Size')), standsAtEnd(called('Stage'))]).toEqual([true, false]);
});
