import { expect, it } from 'vitest';
import {
  getVisibleColumns,
  hideColumns,
  moveColumn,
  orderFields,
  getFrozenFieldNames,
  toggleFrozenColumn,
  DEFAULT_COLUMN_LAYOUT,
  parseColumnLayout,
} from '../model/columns.ts';
import type { ColumnLayout } from '../model/columns.ts';
import {
  findDayShift,
  formatDateTooltip,
  formatDateValue,
  formatZoneName,
  getZoneTimes,
} from '../model/dates.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import { parseView, parseCellAddress, formatView, formatCellAddress } from './view.ts';

it('formats the list state as search parameters without empty ones', () => {
  const view = { q: '7', query: { Sector: { $in: [1] } }, sort: '-Founded', savedViewId: 12 };
  expect(formatView(view)).toEqual({ q: 7, query: view.query, sort: '-Founded', view: 12 });
  expect(parseView(formatView(view))).toEqual(view);
  expect(formatView(parseView({}))).toEqual({});
  expect(parseView({ query: {} }).query).toBeUndefined();
  expect(parseView({ query: '{Name:' }).query).toBe('{Name:');
});

it('parses the address of a row or cell and ignores invalid ones', () => {
  for (const address of [
    { entryId: 123, field: 'Stage' },
    { entryId: 2_147_483_647, field: '' },
  ])
    expect(parseCellAddress(formatCellAddress(address))).toEqual(address);
  expect(formatCellAddress({ entryId: 5, field: '' })).toEqual({ entry: 5 });
  for (const entry of [undefined, 0, -3, 1.5, 2_147_483_648, 'x'])
    expect(parseCellAddress({ entry, field: 'Stage' })).toBeUndefined();
  expect(formatCellAddress(undefined)).toEqual({});
});

const field = (id: number, apiName: string, isKey = false) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType: 1,
  ...FIELD_DEFAULTS,
  isKey,
});

it('orders the key first, then moved columns, then the others, without hidden ones', () => {
  const fields = buildSchema(
    [],
    [field(1, 'A'), field(2, 'B'), field(3, 'Name', true), field(4, 'C')],
  ).getFields(1);
  const none = DEFAULT_COLUMN_LAYOUT;
  const names = (choice: ColumnLayout) => orderFields(fields, choice).map(({ apiName }) => apiName);
  expect(names(none)).toEqual(['Name', 'A', 'B', 'C']);
  expect(orderFields(fields, moveColumn(fields, none, 'C', -2)).map(({ apiName }) => apiName)).toEqual([
    'Name',
    'C',
    'A',
    'B',
  ]);
  expect(moveColumn(fields, none, 'A', -1)).toBe(none);
  const shown = getVisibleColumns(fields, {
    hidden: ['A', 'Name'],
    order: ['Gone', 'C'],
    widths: { C: 9999, B: 1 },
    frozen: 1,
  });
  expect(shown.map(({ field: { apiName }, width }) => [apiName, width])).toEqual([
    ['Name', 240],
    ['C', 900],
    ['B', 64],
  ]);
});

it('drops invalid parts of a stored column layout', () => {
  expect(parseColumnLayout('{"hidden":["A",1],"order":5,"widths":{"A":"x","B":90},"frozen":99}')).toEqual({
    hidden: ['A'],
    order: [],
    widths: { B: 90 },
    frozen: 10,
  });
  expect(parseColumnLayout('{}')).toEqual(DEFAULT_COLUMN_LAYOUT);
  expect(parseColumnLayout('nonsense')).toBeUndefined();
});

it('keeps frozen columns in the order they were frozen', () => {
  const fields = buildSchema(
    [],
    [field(1, 'A'), field(2, 'B'), field(3, 'Name', true), field(4, 'C')],
  ).getFields(1);
  const twoFrozen = toggleFrozenColumn(fields, toggleFrozenColumn(fields, DEFAULT_COLUMN_LAYOUT, 'C'), 'B');
  expect([twoFrozen.frozen, getFrozenFieldNames(fields, twoFrozen)]).toEqual([3, ['C', 'B']]);
  const names = (layout: ColumnLayout) =>
    getVisibleColumns(fields, layout).map((column) => column.field.apiName);
  expect(names(twoFrozen)).toEqual(['Name', 'C', 'B', 'A']);
  const oneFrozen = toggleFrozenColumn(fields, twoFrozen, 'C');
  expect([oneFrozen.frozen, names(oneFrozen)]).toEqual([2, ['Name', 'B', 'C', 'A']]);
  // Hidden columns are not frozen, and frozen columns are visible.
  expect(hideColumns(fields, twoFrozen, ['B']).frozen).toBe(2);
  expect(names(toggleFrozenColumn(fields, hideColumns(fields, DEFAULT_COLUMN_LAYOUT, ['C']), 'C'))).toEqual([
    'Name',
    'C',
    'A',
    'B',
  ]);
});

it('formats dates in UTC or another time zone, and tooltips in all of them', () => {
  expect(formatDateValue('2026-03-01T00:00:00.000Z', true)).toMatch(/2026/);
  expect(formatDateTooltip('2026-03-01T23:30:00.000Z', false, 'Europe/Berlin', 'America/New_York')).toMatch(
    /^2026-03-01 23:30:00 UTC · site time .*2.* · your time .*18|6:30/,
  );
  expect(formatDateTooltip('2026-03-01T00:00:00.000Z', true, 'Europe/Berlin', 'UTC')).toBe(
    '2026-03-01, a date without time: the same in every time zone',
  );
  expect(formatDateValue('2026-03-01T23:30:00.000Z', false, 'Europe/Berlin')).toMatch(/2,? 2026|2 Mar/);
  expect(formatZoneName('2026-03-01T23:30:00.000Z', 'UTC')).toBe('UTC');
  expect(formatZoneName('2026-03-01T23:30:00.000Z', 'Europe/Berlin')).toMatch(/GMT\+1|CET/);
  expect(formatDateValue('no date', false)).toBe('no date');
});

it('finds that a time is another day in UTC, on the site or for the user, equal zones once', () => {
  const late = '2026-03-01T23:30:00.000Z';
  const shift = findDayShift(late, 'Europe/Berlin', 'America/New_York');
  expect(shift?.map(({ label, zone, clock }) => [label, zone, clock])).toEqual([
    ['UTC', 'UTC', '23:30'],
    ['site', 'Europe/Berlin', '00:30'],
    ['you', 'America/New_York', '18:30'],
  ]);
  expect(new Set(shift?.map(({ day }) => day)).size).toBe(2);
  expect(findDayShift(late, 'UTC', 'America/New_York')).toBeUndefined();
  expect(findDayShift('2026-03-01T12:00:00.000Z', 'Europe/Berlin', 'America/New_York')).toBeUndefined();
  expect(findDayShift('2026-03-01T10:30:00.000Z', 'UTC', 'Pacific/Kiritimati')?.length).toBe(2);
  expect(getZoneTimes(late, 'UTC', 'UTC').length).toBe(1);
  expect(getZoneTimes('no date', 'UTC', 'Asia/Tokyo')).toEqual([]);
});
