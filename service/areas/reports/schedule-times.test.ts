import { expect, test } from 'vitest';
import { formatTimeOfDay, getNextTime, parseTimeOfDay, type ScheduleTimes } from './schedule-times.ts';

const at = (frequency: ScheduleTimes['frequency'], time: string, day: number | null = null) => ({
  frequency,
  minute: parseTimeOfDay(time),
  day,
});

test.each<[string, ScheduleTimes, string, string]>([
  ['2026-03-01T06:29:00Z', at('daily', '07:30'), 'Europe/Berlin', '2026-03-01T06:30:00.000Z'],
  // At its own moment it is the next day's turn.
  ['2026-03-01T06:30:00Z', at('daily', '07:30'), 'Europe/Berlin', '2026-03-02T06:30:00.000Z'],
  // 02:30 is skipped on 29 March in Berlin, and occurs twice on 25 October.
  ['2026-03-28T12:00:00Z', at('daily', '02:30'), 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-10-24T12:00:00Z', at('daily', '02:30'), 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T00:30:00Z', at('daily', '02:30'), 'Europe/Berlin', '2026-10-26T01:30:00.000Z'],
  // 1 March 2026 is a Sunday; in Auckland it is Monday already.
  ['2026-03-01T12:00:00Z', at('weekly', '09:00', 1), 'UTC', '2026-03-02T09:00:00.000Z'],
  ['2026-03-01T12:00:00Z', at('weekly', '09:00', 7), 'UTC', '2026-03-08T09:00:00.000Z'],
  ['2026-03-01T12:00:00Z', at('weekly', '00:30', 1), 'Pacific/Auckland', '2026-03-08T11:30:00.000Z'],
  ['2026-01-31T12:00:00Z', at('monthly', '08:00', 31), 'UTC', '2026-02-28T08:00:00.000Z'],
  ['2028-02-01T00:00:00Z', at('monthly', '08:00', 30), 'UTC', '2028-02-29T08:00:00.000Z'],
  ['2026-12-15T08:00:00Z', at('monthly', '08:00', 15), 'UTC', '2027-01-15T08:00:00.000Z'],
])('after %s, %j in %s: %s', (after, times, timeZone, next) => {
  expect(getNextTime(new Date(after), times, timeZone).toISOString()).toBe(next);
  expect(parseTimeOfDay(formatTimeOfDay(times.minute))).toBe(times.minute);
});
