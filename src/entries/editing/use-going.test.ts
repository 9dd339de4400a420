import { expect, it } from 'vitest';
import { PLAIN_FIELD } from '../field.fixture.ts';
import type { Field } from '../schema.ts';
import { meanwhileOf } from './use-going.ts';

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
