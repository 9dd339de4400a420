import { describe, expect, it } from 'vitest';
import { columnsOf, placed } from './columns.ts';
import { AS_SCHEMA } from './columns-store.ts';
import type { ColumnChoice } from './columns-store.ts';
import { PLAIN_FIELD } from './field.fixture.ts';
import type { Field } from './schema.ts';

const fields = ['Name', 'A', 'B', 'C', 'D'].map((name, at): Field => ({
  ...PLAIN_FIELD,
  id: at + 1,
  entryTypeId: 1,
  apiName: name,
  name,
  fieldType: 1,
  isKey: at === 0,
}));
const shown = (choice: ColumnChoice) => {
  const names = columnsOf(fields, choice).map(({ field }) => field.apiName);
  return `${names.slice(0, choice.frozen).join('')}|${names.slice(choice.frozen).join('')}`;
};

describe('a column that is put elsewhere', () => {
  const two: ColumnChoice = { ...AS_SCHEMA, frozen: 2 };
  it.each([
    ['C', 2, 'NameA|CBD'],
    ['C', 5, 'NameA|BDC'],
    ['C', 0, 'NameCA|BD'],
    ['C', 1, 'NameCA|BD'],
    ['A', 2, 'NameA|BCD'],
    ['A', 3, 'Name|BACD'],
    ['A', 99, 'Name|BCDA'],
    ['B', 2, 'NameA|BCD'],
    ['Name', 4, 'NameA|BCD'],
    ['Gone', 3, 'NameA|BCD'],
  ])('%s before place %i', (name, at, after) => {
    expect(shown(placed(fields, two, name, at))).toBe(after);
  });

  it('steps over those that are hidden', () => {
    const choice = { ...AS_SCHEMA, hidden: ['B', 'C'] };
    expect(shown(placed(fields, choice, 'A', 3))).toBe('Name|DA');
    expect(shown(placed(fields, choice, 'D', 1))).toBe('Name|DA');
  });
});
