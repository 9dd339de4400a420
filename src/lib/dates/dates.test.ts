import { describe, expect, it } from 'vitest';
import {
  addDays,
  formatDistance,
  formatExactDate,
  formatExactMoment,
  formatPreciseDistance,
  formatShortDate,
  formatTime,
  isWithinDays,
} from './dates.ts';

const now = new Date(2026, 10, 21, 14, 0, 0);
const before = (ms: number) => new Date(now.getTime() - ms);

describe('formatShortDate', () => {
  it.each([
    [0, 'now'],
    [2 * 60_000, '2 min. ago'],
    [59 * 60_000, '59 min. ago'],
    [3 * 3_600_000, '3 hr. ago'],
    [15 * 3_600_000, 'yesterday'],
    [37 * 3_600_000, 'yesterday'],
  ])('%d ms ago is "%s"', (ms, text) => {
    expect(formatShortDate(before(ms), now)).toBe(text);
  });

  it('shows the day beyond yesterday, and for what lies ahead', () => {
    expect(formatShortDate(before(39 * 3_600_000), now)).toMatch(/2026/);
    expect(formatShortDate(before(-3 * 3_600_000), now)).toMatch(/2026/);
  });
});

it('exact forms carry minutes and seconds', () => {
  expect(formatExactDate(now)).toMatch(/00:00/);
  expect(formatTime(now)).toMatch(/00:00/);
});

const afternoon = new Date(2026, 10, 21, 15, 0);
const at = (day: number, hour = 15, minute = 0) => new Date(2026, 10, day, hour, minute);

it('a time to the second has its day unless that is today', () => {
  expect(formatExactMoment(at(21, 20), afternoon)).toBe(formatTime(at(21, 20)));
  expect(formatExactMoment(at(22, 1), afternoon)).toBe(`tomorrow, ${formatTime(at(22, 1))}`);
  expect(formatExactMoment(at(24, 1), afternoon)).toMatch(/24.*1:00:00/);
});

describe('formatDistance', () => {
  it.each([
    [at(25), 'in 4 days'],
    [at(22, 1), 'tomorrow'],
    [at(21, 20), 'in 5 hours'],
    [at(21, 15, 40), 'in 40 minutes'],
    [at(20, 23), 'yesterday'],
    [at(18), '3 days ago'],
  ])('%s', (moment, words) => {
    expect(formatDistance(moment, afternoon)).toBe(words);
  });
});

it.each([
  [40_000, 'in 40 seconds'],
  [5 * 60_000, 'in 5 minutes'],
  [-2 * 60_000, '2 minutes ago'],
  [5 * 3_600_000, 'in 5 hours'],
])('the precise distance of %d ms is "%s"', (ms, text) => {
  expect(formatPreciseDistance(before(-ms), now)).toBe(text);
});

it('adds days of 24 hours to the given date', () => {
  expect(addDays(30, '2026-03-01T08:00:00.000Z').toISOString()).toBe('2026-03-31T08:00:00.000Z');
});

it('is not within the days when it has passed or is later', () => {
  expect(isWithinDays(at(28), 7, afternoon)).toBe(true);
  expect(isWithinDays(at(28, 16), 7, afternoon)).toBe(false);
  expect(isWithinDays(afternoon, 7, afternoon)).toBe(false);
});
