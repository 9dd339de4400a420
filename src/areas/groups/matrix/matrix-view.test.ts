import { expect, test } from 'vitest';
import { columnsOf, partOf, readMatrixView, writeMatrixView } from './matrix-view.ts';

const groups = Array.from({ length: 140 }, (_, at) => ({ id: at + 1, userCount: at }));

test('every group that is asked for is reached, sixty at a time', () => {
  const columns = columnsOf(
    groups,
    groups.map(({ id }) => id),
  );
  const parts = [1, 2, 3].map((part) => partOf(columns, part));
  expect(parts.map(({ first, last, of }) => [first, last, of])).toEqual([
    [1, 60, 140],
    [61, 120, 140],
    [121, 140, 140],
  ]);
  expect(parts.flatMap(({ shown }) => shown)).toEqual(groups);
  // An address of more columns than there are now.
  expect(partOf(columns, 9)).toMatchObject({ part: 3, parts: 3 });
  expect(partOf([], 1)).toMatchObject({ part: 1, parts: 1, shown: [] });
});

test('the part in view is in the address, and nonsense is the first', () => {
  expect(writeMatrixView(readMatrixView({ part: 2 }))).toEqual({ part: 2 });
  for (const part of [0, 1, -3, 1.5, 'x']) expect(writeMatrixView(readMatrixView({ part }))).toEqual({});
});
