import { expect, it } from 'vitest';
import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { getValue } from '../model/values.ts';
import { addTotals, formatTotals } from './totals.ts';

const createField = (id: number, apiName: string, fieldType: Field['fieldType']): Field => ({
  ...FIELD_DEFAULTS,
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
});
const name = createField(1, 'Name', 1);
const size = createField(2, 'Size', 3);
const worth = createField(3, 'Worth', 18);
const rows: RowVm[] = [
  { EntryId: 1, Name: 'a', Size: 0.1, Worth: { value: 10, currencyCode: 'EUR' } },
  { EntryId: 2, Name: '2', Size: 0.2, Worth: { value: 5, currencyCode: 'USD' } },
  { EntryId: 3, Size: 1200, Worth: { value: 30, currencyCode: 'EUR' } },
];
const format = (...fields: Field[]) => formatTotals(addTotals(rows, fields, getValue));

it('sums numbers and counts filled cells', () => {
  expect(format(name)).toBe('3 cells, 2 filled');
  expect(format(name, size)).toBe('6 cells, 5 filled · sum 1,200.3, average 400.1, from 0.1 to 1,200');
});

it('sums amounts by currency', () => {
  expect(format(worth)).toBe('3 cells · sum EUR 40, average EUR 20, from 10 to 30 · sum USD 5');
});

const formatSizes = (...sizes: number[]) =>
  formatTotals(
    addTotals(
      sizes.map((Size, EntryId) => ({ EntryId, Size })),
      [size],
      getValue,
    ),
  );

it('shows tiny numbers, but not the rounding error of a sum', () => {
  expect(formatSizes(1e-12, 3e-12)).toBe('2 cells · sum 4E-12, average 2E-12, from 1E-12 to 3E-12');
  expect(formatSizes(0.1, 0.2, -0.3)).toBe('3 cells · sum 0, average 0, from -0.3 to 0.2');
});

it('sums in parts to the same totals', () => {
  const whole = addTotals(rows, [name, size, worth], getValue);
  const first = addTotals(rows.slice(0, 2), [name, size, worth], getValue);
  expect(addTotals(rows.slice(2), [name, size, worth], getValue, first)).toEqual(whole);
});
