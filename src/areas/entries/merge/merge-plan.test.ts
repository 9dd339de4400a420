import { expect, test } from 'vitest';
import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { getChoice, compareFields, getMergedValue, buildMergeRequests } from './merge-plan.ts';

const field = (id: number, apiName: string, more: Partial<Field> = {}): Field => ({
  id,
  name: apiName,
  apiName,
  fieldType: 1,
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
  ...more,
});
const Name = field(1, 'Name', { isKey: true });
const City = field(2, 'City');
const Tags = field(3, 'Tags', { fieldType: 2, isMultiSelect: true });
const Files = field(4, 'Files', { fieldType: 13 });
const No = field(5, 'No', { fieldType: 15, isStoreRequestSupported: false });
const fields = [Name, City, Tags, Files, No];
const red = { id: 1, name: 'Red' };
const blue = { id: 2, name: 'Blue' };
const a: RowVm = { EntryId: 1, Name: 'Hafen', Tags: [red], No: 1 };
const b: RowVm = { EntryId: 2, Name: 'hafen', City: 'Hamburg', Tags: [red, blue], No: 2 };
const rows = [a, b];

test('separates differing fields into selectable and fixed ones', () => {
  const { selectableFields, fixedFields, equalCount } = compareFields(rows, fields);
  expect([selectableFields, fixedFields, equalCount]).toEqual([[Name, City, Tags], [No], 1]);
});

test('keeps the values of the target and fills missing ones', () => {
  const none = new Map<number, number | 'all'>();
  expect([Name, City, Tags].map((each) => getChoice(each, none, a, rows))).toEqual([1, 2, 1]);
  expect(buildMergeRequests([Name, City, Tags], none, a, rows)).toEqual([
    { entryId: 1, fieldId: 2, value: 'Hamburg', expected: { value: null } },
  ]);
});

test('forgets the selected value of an entry that was left out', () => {
  const choices = new Map<number, number | 'all'>([
    [1, 2],
    [2, 3],
    [3, 'all'],
  ]);
  expect([Name, City, Tags].map((each) => getChoice(each, choices, a, rows))).toEqual([2, 2, 'all']);
});

test('uses the selected value of each field and joins multiple values', () => {
  const choices = new Map<number, number | 'all'>([
    [1, 2],
    [3, 'all'],
  ]);
  expect(getMergedValue(Tags, choices, a, rows)).toEqual([red, blue]);
  expect(buildMergeRequests([Name, Tags], choices, a, rows)).toEqual([
    { entryId: 1, fieldId: 1, value: 'hafen', expected: { value: 'Hafen' }, ignoreNearDups: true },
    { entryId: 1, fieldId: 3, value: [1, 2], expected: { value: [1] } },
  ]);
  expect(buildMergeRequests([Name], choices, b, rows)).toEqual([]);
});
