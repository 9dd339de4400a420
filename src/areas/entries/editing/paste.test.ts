import { expect, test } from 'vitest';
import { countPastedCells } from './paste.ts';

test('counts the cells of the range that a single text fills, and of blocks their own', () => {
  const range = { top: 0, bottom: 99_999, left: 0, right: 9 };
  expect(countPastedCells({ texts: [['x']] }, range)).toBe(1_000_000);
  expect(countPastedCells({ texts: [['x']] }, { top: 3, bottom: 3, left: 1, right: 1 })).toBe(1);
  expect(countPastedCells({ texts: [['a'], ['b', 'c']] }, range)).toBe(3);
});
