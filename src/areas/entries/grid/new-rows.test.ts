import { expect, it } from 'vitest';
import { NO_CHANGES, stage } from '../editing/changes.ts';
import { createRows } from '../model/rows.ts';
import { newIn, withNew } from './new-rows.ts';

const rows = (total: number) =>
  createRows({
    total,
    first: Array.from({ length: total }, (_, at) => ({ EntryId: at + 1 })),
    read: () => Promise.resolve([]),
  });

const cell = (entryId: number) => ({
  entryId,
  fieldId: 7,
  entryName: 'New',
  before: undefined,
  value: 'New',
});

it('shows new entries behind the last one, in the order in which they were staged, each as the same row', async () => {
  const changes = stage(NO_CHANGES, [cell(-2), cell(1), cell(-1)], 'Paste');
  expect(newIn(changes)).toEqual([-1, -2]);
  const shown = withNew(rows(2), newIn(changes));
  expect(shown.total).toBe(4);
  expect([0, 1, 2, 3, 4].map((at) => shown.at(at)?.EntryId)).toEqual([1, 2, -1, -2, undefined]);
  const idsBetween = async (from: number, to: number) =>
    (await shown.between(from, to)).map(({ EntryId }) => EntryId);
  expect(await idsBetween(1, 2)).toEqual([2, -1]);
  expect(await idsBetween(3, 3)).toEqual([-2]);
  expect(await idsBetween(0, 1)).toEqual([1, 2]);
  expect(withNew(rows(0), [-1]).at(0)).toBe(shown.at(2));
  const plain = rows(2);
  expect(withNew(plain, [])).toBe(plain);
});
