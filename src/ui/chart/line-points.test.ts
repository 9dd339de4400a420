import { expect, test } from 'vitest';
import { toLinePoints } from './line-points.ts';

test('draws a line from the bottom to the top, and equal values in the middle', () => {
  expect(toLinePoints([0, 5, 10], 100, 20)).toBe('0.0,20.0 50.0,10.0 100.0,0.0');
  expect(toLinePoints([4, 4], 100, 20)).toBe('0.0,10.0 100.0,10.0');
});

test('leaves room for a limit above the values, not for one below them', () => {
  expect(toLinePoints([0, 5], 100, 20, 10)).toBe('0.0,20.0 100.0,10.0');
  expect(toLinePoints([4, 4], 100, 20, 8)).toBe('0.0,20.0 100.0,20.0');
  expect(toLinePoints([0, 10], 100, 20, 5)).toBe('0.0,20.0 100.0,0.0');
});
