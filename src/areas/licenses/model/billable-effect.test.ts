import { expect, test } from 'vitest';
import { billableChange, billableHint, difference } from './billable-effect.ts';

test.each([
  [1, 2, 0],
  [1, 3, -1],
  [4, 2, 1],
  [3, 4, 0],
  [null, 1, 1],
])('from %j to %j changes the bill by %d', (from, to, change) => {
  expect(billableChange(from, to)).toBe(change);
});

test('the numbers before and after are said where they are known', () => {
  expect(billableHint(1, 3, 412)).toBe('−1 billable: 411 after this, 412 now');
  expect(billableHint(4, 1, undefined)).toBe('+1 billable');
  expect(billableHint(1, 2, 412)).toBe('Billable, as before');
  expect(billableHint(3, 4, 412)).toBe('Not billable, as before');
});

test('nothing has no sign', () => {
  expect(difference(0)).toBe('0');
});
