import { expect, test } from 'vitest';
import { clockWords, hourOptions, nextAt, ruleWords } from './schedule-words.ts';

const at = (text: string) => Date.parse(text);

test('the next one is today or tomorrow by the clock of the site', () => {
  const kolkata = (hour: number, now: string) =>
    new Date(nextAt(hour, 'Asia/Kolkata', at(now))).toISOString();
  expect(kolkata(3, '2026-03-01T20:00:00Z')).toBe('2026-03-01T21:30:00.000Z');
  expect(kolkata(3, '2026-03-01T22:00:00Z')).toBe('2026-03-02T21:30:00.000Z');
  // The night in which the clocks of London go forward.
  expect(new Date(nextAt(3, 'Europe/London', at('2026-03-28T12:00:00Z'))).toISOString()).toBe(
    '2026-03-29T02:00:00.000Z',
  );
  // Half past eleven before that night: 24 hours later is the day after the next one.
  expect(new Date(nextAt(3, 'Europe/London', at('2026-03-28T23:30:00Z'))).toISOString()).toBe(
    '2026-03-29T02:00:00.000Z',
  );
});

test('a clock is told twice only where the two differ', () => {
  expect(clockWords(3, 'UTC', 'UTC')).toBe('03:00 (UTC)');
  expect(clockWords(3, 'Asia/Kolkata', 'UTC')).toMatch(/^03:00 \(Asia\/Kolkata\), .+ for you$/);
  expect(hourOptions('UTC', 'UTC')).toHaveLength(24);
  expect(hourOptions('UTC', 'UTC')[7]).toEqual({ value: 7, label: '07:00' });
});

test('a schedule in words', () => {
  expect(ruleWords({ isDaily: true, hour: 3, keepDays: 1, includeFiles: false, verify: true })).toBe(
    'kept 1 day · without files · the newest is verified',
  );
});
