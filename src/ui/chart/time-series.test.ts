import { expect, test } from 'vitest';
import {
  getStepName,
  getStepSeconds,
  subtractDays,
  isDay,
  toUnixSeconds,
  stackSeries,
  formatStep,
  sumSeriesAt,
} from './time-series.ts';

test('stacks each series on the one below', () => {
  expect(
    stackSeries([
      { label: 'a', values: [1, 2], tone: 1 },
      { label: 'b', values: [10, 0], tone: 2 },
      { label: 'c', values: [5, 5], tone: 3 },
    ]),
  ).toEqual([
    [1, 2],
    [11, 2],
    [16, 7],
  ]);
});

test('sums the lowest series and returns 0 for a missing index', () => {
  const series = [
    { label: 'a', values: [1], tone: 1 as const },
    { label: 'b', values: [10], tone: 2 as const },
  ];
  expect(sumSeriesAt(series, 1, 0)).toBe(1);
  expect(sumSeriesAt(series, 2, 0)).toBe(11);
  expect(sumSeriesAt(series, 2, 5)).toBe(0);
});

test('stacks no series', () => {
  expect(stackSeries([])).toEqual([]);
});

test('handles days in UTC across the end of a year and of February', () => {
  expect(subtractDays('2026-01-01', 1)).toBe('2025-12-31');
  expect(subtractDays('2028-03-01', 1)).toBe('2028-02-29');
  expect(toUnixSeconds('1970-01-02')).toBe(86_400);
  expect(formatStep('2026-11-01')).toMatch(/\b1\b/);
});

test('handles hours as timestamps', () => {
  expect(isDay('2026-11-01')).toBe(true);
  expect(isDay('2026-11-01T09:00:00.000Z')).toBe(false);
  expect(toUnixSeconds('1970-01-01T01:00:00.000Z')).toBe(3600);
  expect(formatStep('2026-11-01T09:30:00.000Z')).toMatch(/:\d\d/);
});

test('derives the duration of a step from the first two', () => {
  const quarters = ['2026-11-01T09:00:00.000Z', '2026-11-01T09:15:00.000Z'];
  const hours = ['2026-11-01T09:00:00.000Z', '2026-11-01T10:00:00.000Z'];
  const cases = [quarters, hours, hours.slice(1), ['2026-11-01', '2026-11-02'], ['2026-11-01']];
  expect(cases.map(getStepSeconds)).toEqual([900, 3600, 3600, 86_400, 86_400]);
  expect(cases.map(getStepName)).toEqual(['Time', 'Hour', 'Hour', 'Day', 'Day']);
});
