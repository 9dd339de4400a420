import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  FIELD,
  FILTER,
  fieldTypes,
  findFilterOperation,
  filterOperations,
  holdsMoney,
  maySelectMany,
} from './fields.ts';

test('has the field types of the contract', () => {
  const area: unknown = parse(readFileSync(new URL('../../areas/schema.yaml', import.meta.url), 'utf8'));
  expect(area).toMatchObject({ schemas: { FieldType: { enum: fieldTypes.map(({ id }) => id) } } });
});

test('has an operation with a row operator for each of the codes 0 to 13 (shapes 4)', () => {
  expect(filterOperations.flatMap(({ id }) => id ?? []).toSorted((a, b) => a - b)).toEqual(
    Object.values(FILTER),
  );
  expect(new Set(filterOperations.map(({ rowOperator }) => rowOperator)).size).toBe(filterOperations.length);
  expect(findFilterOperation(FILTER.between)?.rowOperator).toBe('$between');
  expect(findFilterOperation(14)).toBeUndefined();
});

const getOperationNames = (type: number) =>
  filterOperations.filter(({ fieldTypes: types }) => types.some((id) => id === type)).map(({ name }) => name);

test('supports NoData for every field type and comparisons only where they fit', () => {
  for (const { id } of fieldTypes)
    expect(getOperationNames(id)).toEqual(expect.arrayContaining(['NoData', 'NotNoData']));
  expect(getOperationNames(FIELD.image)).toEqual(['NoData', 'NotNoData']);
  expect(getOperationNames(FIELD.boolean)).toEqual(['Equals', 'NotEqualTo', 'NoData', 'NotNoData']);
  expect(getOperationNames(FIELD.user)).toEqual([
    'Equals',
    'In',
    'NotIn',
    'NotEqualTo',
    'NoData',
    'NotNoData',
  ]);
});

test('allows multi-select for ids and files, currencies for numbers', () => {
  expect(fieldTypes.filter(({ id }) => maySelectMany(id)).map(({ name }) => name)).toEqual([
    'Choice',
    'Reference',
    'User',
    'Binary',
    'Image',
  ]);
  const amounts = fieldTypes.filter(({ id }) => holdsMoney({ fieldType: id, isMoney: true }));
  expect(amounts.map(({ name }) => name)).toEqual(['Number', 'Currency']);
});
