import { expect, it } from 'vitest';
import { buildToolFields, parseToolArguments } from './tool-form.ts';

const fields = buildToolFields({
  type: 'object',
  properties: {
    query: { type: 'object', description: 'Conditions' },
    limit: { type: ['integer', 'null'] },
    isExact: { type: 'boolean' },
    order: { type: 'string', enum: ['up', 'down'] },
    fieldNames: { anyOf: [{ type: 'array' }, { type: 'null' }] },
    entryType: { type: 'string', title: 'Type' },
  },
  required: ['entryType'],
});

it('has a field per property, the required ones first', () => {
  expect(fields.map(({ name, label, kind, isRequired }) => [name, label, kind, isRequired])).toEqual([
    ['entryType', 'Type', 'entryType', true],
    ['query', 'Query', 'json', false],
    ['limit', 'Limit', 'number', false],
    ['isExact', 'Is exact', 'boolean', false],
    ['order', 'Order', 'choice', false],
    ['fieldNames', 'Field names', 'json', false],
  ]);
  expect(fields.find(({ name }) => name === 'order')?.options).toEqual(['up', 'down']);
  expect(buildToolFields({ type: 'object' })).toEqual([]);
});

it('converts texts to arguments and names what it cannot convert', () => {
  expect(
    parseToolArguments(fields, {
      entryType: ' Company ',
      query: '{"Stage":2}',
      limit: '5',
      isExact: 'false',
      order: '',
    }),
  ).toEqual({ arguments: { entryType: 'Company', query: { Stage: 2 }, limit: 5, isExact: false } });
  expect(parseToolArguments(fields, { limit: 'many', query: '{' }).errors).toEqual({
    limit: 'Enter a number',
    query: 'Enter valid JSON, such as ["Name"] or {"Stage": 2}',
  });
});
