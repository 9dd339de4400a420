import { expect, it } from 'vitest';
import { parseQueryObject } from '../../../../contract/rules/query/parse.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { MAX_COUNTED_ENTRIES, findDeletionConflict, buildReferencesQuery } from './pending-deletions.ts';

const field = (id: number, overrides: Partial<Field> = {}): Field => ({
  ...FIELD_DEFAULTS,
  id,
  entryTypeId: 1,
  apiName: `F${id}`,
  name: `Field ${id}`,
  fieldType: 1,
  ...overrides,
});
const fields = [field(1), field(2), field(3, { isCalculated: true })];
const deletion = {
  entryId: 5,
  entryName: 'Five',
  row: { EntryId: 5, F1: 'a', F3: 'x' },
  fieldIds: [1, 3],
};
const findChanges = (row: object, stagedRow: object = {}) =>
  findDeletionConflict(
    { ...deletion, row: { ...deletion.row, ...stagedRow } },
    { EntryId: 5, ...row },
    fields,
  )?.changedFields.map(({ id }) => id);

it('finds changes in displayed fields except calculated ones', () => {
  expect(findChanges({ F1: 'a', F2: 'other', F3: 'y' })).toBeUndefined();
  expect(findChanges({ F1: 'A' })).toEqual([1]);
  expect(findChanges({})).toEqual([1]);
  expect(findDeletionConflict(deletion, undefined, fields)).toEqual({ row: undefined, changedFields: [] });
});

it('compares truncated texts as far as both are loaded', () => {
  expect(findChanges({ F1: 'abc' }, { F1: 'ab', $cut: ['F1'] })).toBeUndefined();
  expect(findChanges({ F1: 'ab', $cut: ['F1'] }, { F1: 'abc' })).toBeUndefined();
  expect(findChanges({ F1: 'xbc' }, { F1: 'ab', $cut: ['F1'] })).toEqual([1]);
});

it('counts references to many entries in one query within the limits, so that none is counted twice', () => {
  const ids = Array.from({ length: MAX_COUNTED_ENTRIES }, (_, at) => at + 1);
  const refers = field(9, { entryTypeId: 1, apiName: 'Partners', fieldType: 5, isMultiSelect: true });
  const query = buildReferencesQuery(refers, 1, ids);
  const found = { id: 9, apiName: 'Partners', fieldType: FIELD.reference, isMultiSelect: true };
  const entryId = { id: 0, apiName: 'EntryId', fieldType: FIELD.number, isMultiSelect: false };
  const plain = { isMoney: false, isDateOnly: false };
  const read = parseQueryObject(query, (name) => ({ ...(name === 'EntryId' ? entryId : found), ...plain }));
  expect(read.errors).toBeUndefined();
  // A second query would count entries with several references twice.
  expect(Object.keys(query)).toEqual(['$and']);
  const numbers = JSON.stringify(query).match(/\d+/g) ?? [];
  expect(numbers.map(Number)).toEqual([...ids, ...ids]);
  // Entries of another type are not deleted, so none is excluded.
  expect(buildReferencesQuery(refers, 2, [4, 5])).toEqual({
    $and: [{ $or: [{ Partners: { $in: [4, 5] } }] }],
  });
});
