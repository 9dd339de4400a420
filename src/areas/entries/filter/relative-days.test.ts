import { expect, it } from 'vitest';
import { RELATIVE_DAYS, getRelativeDay } from './relative-days.ts';

it('computes days relative to the local date', () => {
  const now = new Date(2026, 2, 1, 23, 30);
  expect(RELATIVE_DAYS.map((name) => getRelativeDay(name, now))).toEqual([
    '2026-03-01',
    '2026-02-28',
    '2026-02-22',
    '2026-01-30',
    '2026-03-01',
    '2026-01-01',
    '2025-03-01',
    '2026-03-31',
  ]);
  expect(getRelativeDay('', now)).toBeUndefined();
});
