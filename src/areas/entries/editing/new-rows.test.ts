import { expect, it } from 'vitest';
import { getFullRange, loadFullRange } from '../model/full-values.ts';
import { createEntryRows, WINDOW_ROWS } from '../model/row-windows.ts';
import { EMPTY_CHANGE_SET, stage } from './change-set.ts';
import { getNewEntryIds, appendNewRows } from './new-rows.ts';

const rows = (total: number) =>
  createEntryRows({
    total,
    firstWindow: Array.from({ length: total }, (_, at) => ({ EntryId: at + 1 })),
    loadWindow: () => Promise.resolve([]),
  });

const cell = (entryId: number) => ({
  entryId,
  fieldId: 7,
  entryName: 'New',
  before: undefined,
  value: 'New',
});

it('appends new entries in staging order and keeps their row objects', async () => {
  const changes = stage(EMPTY_CHANGE_SET, [cell(-2), cell(1), cell(-1)], 'Paste');
  expect(getNewEntryIds(changes)).toEqual([-1, -2]);
  const extended = appendNewRows(rows(2), getNewEntryIds(changes));
  expect(extended.total).toBe(4);
  expect([0, 1, 2, 3, 4].map((at) => extended.at(at)?.EntryId)).toEqual([1, 2, -1, -2, undefined]);
  const idsBetween = async (from: number, to: number) =>
    (await extended.loadRange(from, to)).map(({ EntryId }) => EntryId);
  expect(await idsBetween(1, 2)).toEqual([2, -1]);
  expect(await idsBetween(3, 3)).toEqual([-2]);
  expect(await idsBetween(0, 1)).toEqual([1, 2]);
  expect(appendNewRows(rows(0), [-1]).at(0)).toBe(extended.at(2));
  const plain = rows(2);
  expect(appendNewRows(plain, [])).toBe(plain);
});

it('loads a range outside the visible rows, followed by staged new entries', async () => {
  const total = 2 * WINDOW_ROWS + 10;
  const createWindow = (skip: number) =>
    Array.from({ length: Math.min(WINDOW_ROWS, total - skip) }, (_, at) => ({ EntryId: skip + at + 1 }));
  const stored = createEntryRows({
    total,
    firstWindow: createWindow(0),
    loadWindow: async (skip) => createWindow(skip),
  });
  const extended = appendNewRows(stored, [-1, -2]);
  const loadIds = async (from: number, to: number) =>
    (await loadFullRange(extended, from, to, [])).map(({ EntryId }) => EntryId);
  expect(getFullRange(extended, total - 2, total + 1, [])).toBeUndefined();
  expect(await loadIds(total - 2, total + 1)).toEqual([total - 1, total, -1, -2]);
  expect(await loadIds(total, total)).toEqual([-1]);
  expect(await loadIds(WINDOW_ROWS - 1, WINDOW_ROWS)).toEqual([WINDOW_ROWS, WINDOW_ROWS + 1]);
});
