import { expect, test } from 'vitest';
import { toLinePoints } from './line-points.ts';

test('draws a line from the bottom to the top, and equal values in the middle', () => {
  expect(toLinePoints([0, 5, 10], 100, 20)).toBe('0.0,20.0 50.0,10.0 100.0,0.0');
  expect(toLinePoints([4, 4], 100, 20)).toBe('0.0,10.0 100.0,10.0');
});
