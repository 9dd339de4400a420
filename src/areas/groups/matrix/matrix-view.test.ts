import { expect, test } from 'vitest';
import { selectColumns, getColumnPart, parseMatrixView, serializeMatrixView } from './matrix-view.ts';

const groups = Array.from({ length: 140 }, (_, at) => ({ id: at + 1, userCount: at }));

test('reaches every requested group, sixty at a time', () => {
  const columns = selectColumns(
    groups,
    groups.map(({ id }) => id),
  );
  const parts = [1, 2, 3].map((part) => getColumnPart(columns, part));
  expect(parts.map(({ first, last, of }) => [first, last, of])).toEqual([
    [1, 60, 140],
    [61, 120, 140],
    [121, 140, 140],
  ]);
  expect(parts.flatMap(({ shown }) => shown)).toEqual(groups);
  // The URL may name more columns than exist.
  expect(getColumnPart(columns, 9)).toMatchObject({ part: 3, parts: 3 });
  expect(getColumnPart([], 1)).toMatchObject({ part: 1, parts: 1, shown: [] });
});

test('keeps the visible part in the URL and falls back to the first', () => {
  expect(serializeMatrixView(parseMatrixView({ part: 2 }))).toEqual({ part: 2 });
  for (const part of [0, 1, -3, 1.5, 'x']) expect(serializeMatrixView(parseMatrixView({ part }))).toEqual({});
});
