import { expect, it } from 'vitest';
import { countCells, moveCell, toRange } from './cell-navigation.ts';

const bounds = { rows: 100, columns: 5, pageRows: 10 };
const press = (key: string, ctrlKey = false, from = { row: 20, column: 2 }) =>
  moveCell({ key, ctrlKey, metaKey: false }, from, bounds);

it('moves between cells by the keys of a grid', () => {
  expect(press('ArrowDown')).toEqual({ row: 21, column: 2 });
  expect(press('ArrowDown', true)).toEqual({ row: 99, column: 2 });
  expect(press('ArrowLeft', true)).toEqual({ row: 20, column: 0 });
  expect(press('PageUp')).toEqual({ row: 10, column: 2 });
  expect(press('End')).toEqual({ row: 20, column: 4 });
  expect(press('End', true)).toEqual({ row: 99, column: 4 });
  expect(press('Home', true)).toEqual({ row: 0, column: 0 });
  expect(press('a')).toBeUndefined();
});

it('stays within the grid and its header row', () => {
  expect(press('ArrowUp', false, { row: 0, column: 1 })).toEqual({ row: -1, column: 1 });
  expect(press('ArrowUp', false, { row: -1, column: 1 })).toEqual({ row: -1, column: 1 });
  expect(press('PageUp', false, { row: 3, column: 0 })).toEqual({ row: 0, column: 0 });
  expect(press('PageDown', false, { row: 95, column: 4 })).toEqual({ row: 99, column: 4 });
  expect(press('ArrowRight', false, { row: 5, column: 4 })).toEqual({ row: 5, column: 4 });
});

it('orders the corners of a range and leaves out the header', () => {
  const range = toRange({ row: 3, column: 4 }, { row: -1, column: 1 });
  expect(range).toEqual({ top: 0, bottom: 3, left: 1, right: 4 });
  expect(countCells(range)).toBe(16);
});
