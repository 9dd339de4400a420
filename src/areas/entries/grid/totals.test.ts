import { expect, it } from 'vitest';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { valueIn } from '../model/values.ts';
import { totalsOf, totalsWords } from './totals.ts';

const fieldOf = (id: number, apiName: string, fieldType: Field['fieldType']): Field => ({
  ...PLAIN_FIELD,
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
});
const name = fieldOf(1, 'Name', 1);
const size = fieldOf(2, 'Size', 3);
const worth = fieldOf(3, 'Worth', 18);
const rows: RowVm[] = [
  { EntryId: 1, Name: 'a', Size: 0.1, Worth: { value: 10, currencyCode: 'EUR' } },
  { EntryId: 2, Name: '2', Size: 0.2, Worth: { value: 5, currencyCode: 'USD' } },
  { EntryId: 3, Size: 1200, Worth: { value: 30, currencyCode: 'EUR' } },
];
const words = (...fields: Field[]) => totalsWords(totalsOf(rows, fields, valueIn));

it('adds up numbers, and says how many cells hold something', () => {
  expect(words(name)).toBe('3 cells, 2 filled');
  expect(words(name, size)).toBe('6 cells, 5 filled · sum 1,200.3, average 400.1, from 0.1 to 1,200');
});

it('adds up amounts by their currency', () => {
  expect(words(worth)).toBe('3 cells · sum EUR 40, average EUR 20, from 10 to 30 · sum USD 5');
});

it('adds up in pieces what it adds up in one go', () => {
  const whole = totalsOf(rows, [name, size, worth], valueIn);
  const first = totalsOf(rows.slice(0, 2), [name, size, worth], valueIn);
  expect(totalsOf(rows.slice(2), [name, size, worth], valueIn, first)).toEqual(whole);
});
