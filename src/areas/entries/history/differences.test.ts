import { expect, test } from 'vitest';
import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { findDifferences, toDeletedFieldDifferences, isCaseOnly, formatPlainValue } from './differences.ts';

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

test('finds differing fields, treating a plain value and a list of one as equal', () => {
  const tags = { ...field('Tags', 2), isMultiSelect: true };
  const red = { id: 1, name: 'Red' };
  const before = row({ City: 'hamburg', Size: 1, Tags: red });
  const after = row({ City: 'Hamburg', Tags: [red] });
  const names = findDifferences(before, after, [City, Size, tags]).map(({ field: { apiName } }) => apiName);
  expect(names).toEqual(['City', 'Size']);
  expect(findDifferences(undefined, after, [City, Size])).toEqual([
    { field: City, before: undefined, after: 'Hamburg' },
  ]);
});

test('detects changes of case only', () => {
  expect(isCaseOnly({ before: 'hamburg', after: 'Hamburg' })).toBe(true);
  expect(isCaseOnly({ before: 'hamburg', after: 'Kiel' })).toBe(false);
  expect(isCaseOnly({ before: undefined, after: 'Kiel' })).toBe(false);
  expect(isCaseOnly({ before: 'A', after: 'A' })).toBe(false);
});

test('keeps values of deleted fields under their names, without unsupported types', () => {
  const properties = { name: 'Colour', isMultiSelect: false, isDateOnly: false, isMoney: false };
  const known = { ...properties, id: 7, fieldType: 1, before: 'red' };
  const [deletedField, ...others] = toDeletedFieldDifferences(
    [known, { ...properties, id: 8, fieldType: 999, before: 'x' }],
    [City],
  );
  expect(deletedField).toMatchObject({
    field: { id: 7, name: 'Colour', apiName: '$7' },
    before: 'red',
    isFieldDeleted: true,
  });
  expect(others).toEqual([]);
});

test('formats values as texts', () => {
  expect(formatPlainValue([{ id: 1, name: 'Red' }, 'x'], City)).toBe('Red, x');
  expect(formatPlainValue(undefined, City)).toBe('');
});
