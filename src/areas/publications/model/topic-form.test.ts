import { expect, test } from 'vitest';
import { chooseField, chooseType, getChoice, topicSchema, toRehearsed } from './topic-form.ts';

test('all errors of the form are reported at once', () => {
  const { error } = topicSchema.safeParse({ name: 'Deals!', format: 'Rows', entryTypes: [] });
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['name', 'Use lower-case letters, digits and hyphens, and begin with a letter'],
    ['entryTypes', 'Choose at least one entry type or field'],
  ]);
  expect(
    topicSchema.safeParse({ name: 'default-x', format: 'Rows', entryTypes: [{ entryTypeId: 1 }] }).success,
  ).toBe(false);
});

test('a topic is rehearsed before it has a name', () => {
  expect(toRehearsed({ name: '', format: 'Cells', entryTypes: [{ entryTypeId: 1 }] })).toEqual({
    name: 'rehearsal',
    format: 'Cells',
    entryTypes: [{ entryTypeId: 1 }],
  });
  expect(toRehearsed({ name: 'deals', format: 'Cells', entryTypes: [] })).toBe(undefined);
});

test('a type is chosen as a whole or by fields', () => {
  const whole = chooseType([{ entryTypeId: 1, fieldIds: [11] }], 2, true);
  expect(whole).toEqual([{ entryTypeId: 1, fieldIds: [11] }, { entryTypeId: 2 }]);
  expect([getChoice(whole, 1), getChoice(whole, 2), getChoice(whole, 3)]).toEqual([
    new Set([11]),
    'all',
    new Set(),
  ]);
  const without = chooseField(whole, 2, 22, { isChosen: false, allIds: [21, 22, 23] });
  expect(without[1]).toEqual({ entryTypeId: 2, fieldIds: [21, 23] });
  expect(chooseField(without, 1, 12, { isChosen: true, allIds: [11, 12] })[0]).toEqual({
    entryTypeId: 1,
    fieldIds: [11, 12],
  });
  expect(chooseField(without, 1, 11, { isChosen: false, allIds: [11, 12] })).toEqual([without[1]]);
  expect(chooseType(without, 2, false)).toEqual([without[0]]);
});
