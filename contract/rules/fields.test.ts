import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  FIELD,
  FILTER,
  fieldTypes,
  filterOperation,
  filterOperations,
  holdsMoney,
  maySelectMany,
} from './fields.ts';

test('the field types are those of the contract', () => {
  const writes: unknown = parse(readFileSync(new URL('../areas/fieldwrites.yaml', import.meta.url), 'utf8'));
  expect(writes).toMatchObject({ schemas: { FieldType: { enum: fieldTypes.map(({ id }) => id) } } });
});

test('the codes 0 to 13 are operations of their own, each with an operator for rows (shapes 4)', () => {
  expect(filterOperations.flatMap(({ id }) => id ?? []).toSorted((a, b) => a - b)).toEqual(
    Object.values(FILTER),
  );
  expect(new Set(filterOperations.map(({ rowOperator }) => rowOperator)).size).toBe(filterOperations.length);
  expect(filterOperation(FILTER.between)?.rowOperator).toBe('$between');
  expect(filterOperation(14)).toBeUndefined();
});

const operationsOf = (type: number) =>
  filterOperations.filter(({ fieldTypes: types }) => types.some((id) => id === type)).map(({ name }) => name);

test('every field can be asked whether it has data, and none is compared as what it is not', () => {
  for (const { id } of fieldTypes)
    expect(operationsOf(id)).toEqual(expect.arrayContaining(['NoData', 'NotNoData']));
  expect(operationsOf(FIELD.image)).toEqual(['NoData', 'NotNoData']);
  expect(operationsOf(FIELD.boolean)).toEqual(['Equals', 'NotEqualTo', 'NoData', 'NotNoData']);
  expect(operationsOf(FIELD.user)).toEqual(['Equals', 'In', 'NotIn', 'NotEqualTo', 'NoData', 'NotNoData']);
});

test('several values are for ids and files, currencies for numbers', () => {
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
