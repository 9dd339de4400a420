import { expect, it } from 'vitest';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { WINDOW, createRows } from '../model/rows.ts';
import { withNew } from './new-rows.ts';
import { rowsAtHand, rowsBetween } from './rows-between.ts';

const TOTAL = 2 * WINDOW + 10;
const rowsFrom = (skip: number): RowVm[] =>
  Array.from({ length: Math.min(WINDOW, TOTAL - skip) }, (_, at) => ({ EntryId: skip + at + 1 }));
const rowsThat = (read: (skip: number) => Promise<readonly RowVm[]>) =>
  createRows({ total: TOTAL, first: rowsFrom(0), read });

it('reads a stretch that nobody looks at, with the entries that are only staged behind it', async () => {
  const rows = withNew(
    rowsThat(async (skip) => rowsFrom(skip)),
    [-1, -2],
  );
  const ids = async (from: number, to: number) =>
    (await rowsBetween(rows, from, to, [])).map(({ EntryId }) => EntryId);
  expect(rowsAtHand(rows, TOTAL - 2, TOTAL + 1, [])).toBeUndefined();
  expect(await ids(TOTAL - 2, TOTAL + 1)).toEqual([TOTAL - 1, TOTAL, -1, -2]);
  expect(await ids(TOTAL, TOTAL)).toEqual([-1]);
  expect(await ids(WINDOW - 1, WINDOW)).toEqual([WINDOW, WINDOW + 1]);
});

it('says why a stretch could not be read', async () => {
  const rows = rowsThat(() => Promise.reject(new ServiceError(503, 'Not now')));
  await expect(rowsBetween(rows, 0, WINDOW, [])).rejects.toThrow('Not now');
});
