import { expect, it } from 'vitest';
import { schemaOf } from '../../../entries/schema.ts';
import { differencesOf, momentsOf } from './-history.ts';

const field = {
  id: 1,
  entryTypeId: 1,
  apiName: 'City',
  name: 'City',
  fieldType: 1,
  isRequired: false,
  isMoney: false,
  isMultiSelect: false,
  isKey: false,
  isDateOnly: false,
  isSearchable: false,
  isOnEntryForm: true,
  isCalculated: false,
  isStoreRequestSupported: true,
};
const fields = schemaOf([], [field, { ...field, id: 2, apiName: 'Size', fieldType: 3 }]).fieldsOf(1);

it('puts together what one person changed at one moment, the newest first', () => {
  const early = '2026-01-01T00:00:00.000Z';
  const late = '2026-03-01T00:00:00.000Z';
  expect(
    momentsOf([
      { fieldId: 1, modified: early, modifiedBy: 7 },
      { fieldId: 2, modified: late, modifiedBy: null },
      { fieldId: 3, modified: early, modifiedBy: 7 },
      { fieldId: 4, error: { code: 404, description: 'gone' } },
    ]),
  ).toEqual([
    { at: late, by: undefined, fieldIds: [2] },
    { at: early, by: 7, fieldIds: [1, 3] },
  ]);
});

it('tells what two rows say differently, letters of another case too', () => {
  const before = { EntryId: 1, City: 'hamburg', Size: 5 };
  expect(
    differencesOf(before, { EntryId: 1, City: 'Hamburg', Size: 5 }, fields).map((one) => [
      one.before,
      one.after,
    ]),
  ).toEqual([['hamburg', 'Hamburg']]);
  expect(differencesOf(before, { EntryId: 1 }, fields).map(({ after }) => after)).toEqual(['', '']);
});
