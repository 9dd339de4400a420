import { expect, test } from 'vitest';
import {
  formatScheduleTime,
  buildHourOptions,
  getNextRunTime,
  formatScheduleRules,
} from './schedule-format.ts';

const at = (text: string) => Date.parse(text);

test('the next run is today or tomorrow in the time zone of the site', () => {
  const kolkata = (hour: number, now: string) =>
    new Date(getNextRunTime(hour, 'Asia/Kolkata', at(now))).toISOString();
  expect(kolkata(3, '2026-03-01T20:00:00Z')).toBe('2026-03-01T21:30:00.000Z');
  expect(kolkata(3, '2026-03-01T22:00:00Z')).toBe('2026-03-02T21:30:00.000Z');
  // The night in which London switches to daylight saving time.
  expect(new Date(getNextRunTime(3, 'Europe/London', at('2026-03-28T12:00:00Z'))).toISOString()).toBe(
    '2026-03-29T02:00:00.000Z',
  );
  // At 23:30 before that night, 24 hours later would be the day after next.
  expect(new Date(getNextRunTime(3, 'Europe/London', at('2026-03-28T23:30:00Z'))).toISOString()).toBe(
    '2026-03-29T02:00:00.000Z',
  );
});

test('shows the reader’s time only if it differs', () => {
  expect(formatScheduleTime(3, 'UTC', 'UTC')).toBe('03:00 (UTC)');
  expect(formatScheduleTime(3, 'Asia/Kolkata', 'UTC')).toMatch(/^03:00 \(Asia\/Kolkata\), .+ for you$/);
  expect(buildHourOptions('UTC', 'UTC')).toHaveLength(24);
  expect(buildHourOptions('UTC', 'UTC')[7]).toEqual({ value: 7, label: '07:00' });
});

test('formats the rules of a schedule', () => {
  expect(
    formatScheduleRules({ isDaily: true, hour: 3, keepDays: 1, includeFiles: false, verify: true }),
  ).toBe('kept 1 day · without files · the newest is verified');
});
