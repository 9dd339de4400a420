import { expect, test } from 'vitest';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { differencesOf, goneDifferences, isCaseOnly, textOf } from './differences.ts';

const field = (apiName: string, fieldType: Field['fieldType']): Field => ({
  id: apiName.length,
  name: apiName,
  apiName,
  fieldType,
  entryTypeId: 1,
  isKey: false,
  isMultiSelect: false,
  isMoney: false,
  isDateOnly: false,
  isRequired: false,
  isOnEntryForm: true,
  isSearchable: false,
  isCalculated: false,
  isStoreRequestSupported: true,
});
const City = field('City', 1);
const Size = field('Size', 3);
const row = (values: object): RowVm => ({ EntryId: 1, ...values });

test('fields differ by their values, one of several told bare or in a list is the same', () => {
  const tags = { ...field('Tags', 2), isMultiSelect: true };
  const red = { id: 1, name: 'Red' };
  const before = row({ City: 'hamburg', Size: 1, Tags: red });
  const after = row({ City: 'Hamburg', Tags: [red] });
  const names = differencesOf(before, after, [City, Size, tags]).map(({ field: { apiName } }) => apiName);
  expect(names).toEqual(['City', 'Size']);
  expect(differencesOf(undefined, after, [City, Size])).toEqual([
    { field: City, before: undefined, after: 'Hamburg' },
  ]);
});

test('a change of letters alone is told as one', () => {
  expect(isCaseOnly({ before: 'hamburg', after: 'Hamburg' })).toBe(true);
  expect(isCaseOnly({ before: 'hamburg', after: 'Kiel' })).toBe(false);
  expect(isCaseOnly({ before: undefined, after: 'Kiel' })).toBe(false);
  expect(isCaseOnly({ before: 'A', after: 'A' })).toBe(false);
});

test('values of a deleted field are told under its name, and those of a kind nobody knows are not', () => {
  const told = { name: 'Colour', isMultiSelect: false, isDateOnly: false, isMoney: false };
  const known = { ...told, id: 7, fieldType: 1, before: 'red' };
  const [gone, ...others] = goneDifferences([known, { ...told, id: 8, fieldType: 999, before: 'x' }], [City]);
  expect(gone).toMatchObject({
    field: { id: 7, name: 'Colour', apiName: '$7' },
    before: 'red',
    isGone: true,
  });
  expect(others).toEqual([]);
});

test('values are texts', () => {
  expect(textOf([{ id: 1, name: 'Red' }, 'x'], City)).toBe('Red, x');
  expect(textOf(undefined, City)).toBe('');
});
