import { expect, test } from 'vitest';
import { dayBefore, isDay, secondsOf, stacked, stepName, sumOn } from './stack.ts';

test('each series begins where the one below it ends', () => {
  expect(
    stacked([
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

test('a sum takes the lowest series, and nothing for a day that is not there', () => {
  const series = [
    { label: 'a', values: [1], tone: 1 as const },
    { label: 'b', values: [10], tone: 2 as const },
  ];
  expect(sumOn(series, 1, 0)).toBe(1);
  expect(sumOn(series, 2, 0)).toBe(11);
  expect(sumOn(series, 2, 5)).toBe(0);
});

test('nothing is stacked upon nothing', () => {
  expect(stacked([])).toEqual([]);
});

test('days are days of UTC, over the end of a year and of February too', () => {
  expect(dayBefore('2026-01-01', 1)).toBe('2025-12-31');
  expect(dayBefore('2028-03-01', 1)).toBe('2028-02-29');
  expect(secondsOf('1970-01-02')).toBe(86_400);
  expect(stepName('2026-11-01')).toMatch(/\b1\b/);
});

test('hours are moments', () => {
  expect(isDay('2026-11-01')).toBe(true);
  expect(isDay('2026-11-01T09:00:00.000Z')).toBe(false);
  expect(secondsOf('1970-01-01T01:00:00.000Z')).toBe(3600);
  expect(stepName('2026-11-01T09:30:00.000Z')).toMatch(/:\d\d/);
});
