import { describe, expect, it } from 'vitest';
import { getVisibleColumns, dropColumn, DEFAULT_COLUMN_LAYOUT } from './columns.ts';
import type { ColumnLayout } from './columns.ts';
import { FIELD_DEFAULTS } from './field.fixture.ts';
import type { Field } from './schema.ts';

const fields = ['Name', 'A', 'B', 'C', 'D'].map((name, index): Field => ({
  ...FIELD_DEFAULTS,
  id: index + 1,
  entryTypeId: 1,
  apiName: name,
  name,
  fieldType: 1,
  isKey: index === 0,
}));
/** Names of the visible columns, with a bar behind the frozen ones. */
const format = (layout: ColumnLayout) => {
  const names = getVisibleColumns(fields, layout).map(({ field }) => field.apiName);
  return `${names.slice(0, layout.frozen).join('')}|${names.slice(layout.frozen).join('')}`;
};

describe('dropping a column', () => {
  const layout: ColumnLayout = { ...DEFAULT_COLUMN_LAYOUT, frozen: 2 };
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
  ])('drops %s before index %i', (name, target, expected) => {
    expect(format(dropColumn(fields, layout, name, target))).toBe(expected);
  });

  it('skips hidden columns', () => {
    const hiddenLayout = { ...DEFAULT_COLUMN_LAYOUT, hidden: ['B', 'C'] };
    expect(format(dropColumn(fields, hiddenLayout, 'A', 3))).toBe('Name|DA');
    expect(format(dropColumn(fields, hiddenLayout, 'D', 1))).toBe('Name|DA');
  });
});

const widthOf = (more: Partial<Field>) =>
  getVisibleColumns(
    fields.slice(1, 2).map((field) => ({ ...field, ...more })),
    DEFAULT_COLUMN_LAYOUT,
  )[0]?.width;

it('is wide enough for amounts of money, whichever type their field has', () => {
  expect(widthOf({ fieldType: 3, isMoney: true })).toBe(widthOf({ fieldType: 18 }));
  expect(widthOf({ fieldType: 3 })).toBeGreaterThanOrEqual(180);
  expect(widthOf({ fieldType: 4 })).toBeGreaterThan(widthOf({ fieldType: 4, isDateOnly: true }) ?? 0);
});
