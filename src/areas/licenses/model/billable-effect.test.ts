import { expect, test } from 'vitest';
import { formatBillableHint } from './billable-effect.ts';

test('names the numbers before and after if known', () => {
  expect(formatBillableHint(1, 3, 412)).toBe('−1 billable: 411 after this, 412 now');
  expect(formatBillableHint(4, 1, undefined)).toBe('+1 billable');
  expect(formatBillableHint(1, 2, 412)).toBe('Billable, as before');
  expect(formatBillableHint(3, 4, 412)).toBe('Not billable, as before');
});
