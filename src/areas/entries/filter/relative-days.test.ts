import { expect, it } from 'vitest';
import { RELATIVE_DAYS, getRelativeDay } from './relative-days.ts';

it('computes days relative to the date in the zone', () => {
  const now = Date.parse('2026-03-02T03:00:00Z');
  expect(RELATIVE_DAYS.map((name) => getRelativeDay(name, now, 'America/St_Johns'))).toEqual([
    '2026-03-01',
    '2026-02-28',
    '2026-02-22',
    '2026-01-30',
    '2026-03-01',
    '2026-01-01',
    '2025-03-01',
    '2026-03-31',
  ]);
  expect(getRelativeDay('Today', now, 'UTC')).toBe('2026-03-02');
  expect(getRelativeDay('', now, 'UTC')).toBeUndefined();
});
