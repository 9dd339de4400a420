import { expect, test } from 'vitest';
import { formatNumber } from '../../../lib/numbers.ts';
import { describeChange, describeChart, describePeriod, pickDailyValues, sumKnown } from './figures.ts';

const days = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'];

test('places figures on their days and leaves unknown days empty', () => {
  const figures = [
    { date: '2026-10-31', entries: 9 },
    { date: '2026-11-02', entries: 4, storageBytes: null },
    { date: '2026-11-04', entries: 7, storageBytes: 50 },
  ];
  expect(pickDailyValues(figures, 'entries', days)).toEqual([null, 4, null, 7]);
  expect(pickDailyValues(figures, 'storageBytes', days)).toEqual([null, null, null, 50]);
  expect(sumKnown([null, 4, null, 7])).toBe(11);
});

test('says since when a change is known', () => {
  expect(describeChange([5, 6, 7, 1205], days)).toBe(`↑ ${formatNumber(1200)} in 4 days`);
  expect(describeChange([5, 5, 7, 2], days)).toBe('↓ 3 in 4 days');
  expect(describeChange([5, 6, 7, 5], days)).toBe('No change in 4 days');
  expect(describeChange([null, 5, 6, 7], days)).toMatch(/^↑ 2 since /);
  expect(describeChange([null, null, null, 7], days)).toBe('Measured since today');
  expect(describeChange([], [])).toBe('Measured since today');
  expect(describePeriod([null, null, null, 7], days)).toBe('today');
  expect(describePeriod([1, 1, 1, 1], days)).toBe('in 4 days');
});

test('describes a chart by its ends and extremes', () => {
  expect(describeChart([null, 5, 2, 7], days, formatNumber)).toMatch(
    /^5 on .*, 7 today, lowest 2, highest 7$/,
  );
  expect(describeChart([null, null, null, 7], days, formatNumber)).toBe('7 today');
  expect(describeChart([null, null], days, formatNumber)).toBe('nothing measured yet');
});
