import { expect, it } from 'vitest';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { readQuery } from '../../../../contract/rules/query/read.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { MOST_COUNTED, meanwhileOf, referringQuery } from './use-going.ts';

const field = (id: number, traits: Partial<Field> = {}): Field => ({
  ...PLAIN_FIELD,
  id,
  entryTypeId: 1,
  apiName: `F${id}`,
  name: `Field ${id}`,
  fieldType: 1,
  ...traits,
});
const fields = [field(1), field(2), field(3, { isCalculated: true })];
const deletion = {
  entryId: 5,
  entryName: 'Five',
  seen: { EntryId: 5, F1: 'a', F3: 'x' },
  fieldIds: [1, 3],
};
const changedIn = (row: object, seen: object = {}) =>
  meanwhileOf(
    { ...deletion, seen: { ...deletion.seen, ...seen } },
    { EntryId: 5, ...row },
    fields,
  )?.changed.map(({ id }) => id);

it('tells what else an entry holds by now in the fields that were looked at, calculated ones aside', () => {
  expect(changedIn({ F1: 'a', F2: 'other', F3: 'y' })).toBeUndefined();
  expect(changedIn({ F1: 'A' })).toEqual([1]);
  expect(changedIn({})).toEqual([1]);
  expect(meanwhileOf(deletion, undefined, fields)).toEqual({ row: undefined, changed: [] });
});

it('compares a long text as far as both were read', () => {
  expect(changedIn({ F1: 'abc' }, { F1: 'ab', $cut: ['F1'] })).toBeUndefined();
  expect(changedIn({ F1: 'ab', $cut: ['F1'] }, { F1: 'abc' })).toBeUndefined();
  expect(changedIn({ F1: 'xbc' }, { F1: 'ab', $cut: ['F1'] })).toEqual([1]);
});

it('counts whoever refers to very many entries in one query that the service takes, so that nobody is counted twice', () => {
  const ids = Array.from({ length: MOST_COUNTED }, (_, at) => at + 1);
  const refers = field(9, { entryTypeId: 1, apiName: 'Partners', fieldType: 5, isMultiSelect: true });
  const query = referringQuery(refers, 1, ids);
  const found = { id: 9, apiName: 'Partners', fieldType: FIELD.reference, isMultiSelect: true };
  const entryId = { id: 0, apiName: 'EntryId', fieldType: FIELD.number, isMultiSelect: false };
  const plain = { isMoney: false, isDateOnly: false };
  const read = readQuery(query, (name) => ({ ...(name === 'EntryId' ? entryId : found), ...plain }));
  expect(read.faults).toBeUndefined();
  // Another query of the same entries counts whoever is in both once more.
  expect(Object.keys(query)).toEqual(['$and']);
  const said = JSON.stringify(query).match(/\d+/g) ?? [];
  expect(said.map(Number)).toEqual([...ids, ...ids]);
  // Of another type nobody goes.
  expect(referringQuery(refers, 2, [4, 5])).toEqual({ $and: [{ $or: [{ Partners: { $in: [4, 5] } }] }] });
});
