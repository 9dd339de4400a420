import { expect, test } from 'vitest';
import { moveInMatrix } from './matrix-keys.ts';

const extent = { rows: 100, columns: 6, pageRows: 10 };
const plain = { ctrlKey: false, metaKey: false, altKey: false };
const press = (key: string, row: number, column: number, keys = {}) =>
  moveInMatrix({ ...plain, key, ...keys }, { row, column }, extent);

test.each([
  ['ArrowDown', { row: 3, column: 2 }],
  ['ArrowUp', { row: 1, column: 2 }],
  ['ArrowRight', { row: 2, column: 3 }],
  ['ArrowLeft', { row: 2, column: 1 }],
  ['PageDown', { row: 12, column: 2 }],
  ['PageUp', { row: 0, column: 2 }],
  ['Home', { row: 2, column: 0 }],
  ['End', { row: 2, column: 5 }],
])('%s moves from the third row and column', (key, to) => {
  expect(press(key, 2, 2)).toEqual(to);
});

test('moves to the corners with Ctrl and stops at the edges', () => {
  expect(press('Home', 50, 3, { ctrlKey: true })).toEqual({ row: 0, column: 0 });
  expect(press('End', 50, 3, { metaKey: true })).toEqual({ row: 99, column: 5 });
  expect(press('ArrowDown', 99, 5)).toEqual({ row: 99, column: 5 });
  expect(press('ArrowLeft', 0, 0)).toEqual({ row: 0, column: 0 });
});

test('ignores other keys and combinations', () => {
  expect(press('a', 2, 2)).toBeUndefined();
  expect(press('ArrowDown', 2, 2, { altKey: true })).toBeUndefined();
  expect(press('ArrowRight', 2, 2, { ctrlKey: true })).toBeUndefined();
});
