import { expect, test } from 'vitest';
import { buildChartSeries, getChartPeriod } from './chart-series.ts';

const at = (text: string) => Date.parse(text);
const count = (date: string, activityTypeId: number, number: number) => ({
  date,
  activityTypeId,
  count: number,
});

test('contains every hour of the period, including empty ones', () => {
  const { steps, series } = buildChartSeries(
    [count('2026-11-21T08:00:00.000Z', 1, 3), count('2026-11-21T10:00:00.000Z', 2, 1)],
    { bucket: 'hour', from: at('2026-11-21T08:20:00Z'), to: at('2026-11-21T11:00:00Z') },
  );
  expect(steps).toEqual(['2026-11-21T08:00:00.000Z', '2026-11-21T09:00:00.000Z', '2026-11-21T10:00:00.000Z']);
  expect(series).toEqual([
    { label: 'Login Successful', values: [3, 0, 0], tone: 1 },
    { label: 'Login Failed', values: [0, 0, 1], tone: 5 },
  ]);
});

test('omits counts outside of the period', () => {
  const { steps, series } = buildChartSeries(
    [count('2026-11-19T00:00:00.000Z', 1, 3), count('2026-11-21T00:00:00.000Z', 3, 2)],
    { bucket: 'day', from: at('2026-11-20T00:00:00Z'), to: at('2026-11-21T08:00:00Z') },
  );
  expect(steps).toEqual(['2026-11-20', '2026-11-21']);
  expect(series).toEqual([{ label: 'Logout', values: [0, 2], tone: 4 }]);
});

test('uses at most six colours, each once', () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((type) => count('2026-11-21T00:00:00.000Z', type, type));
  const { series } = buildChartSeries(all, { bucket: 'day', from: at('2026-11-21'), to: at('2026-11-22') });
  expect(series.map(({ label, values }) => [label, values[0]])).toEqual([
    ['Login Successful', 1],
    ['Login Failed, all kinds', 20],
    ['Logout', 3],
    ['Session Expired', 4],
    ['Export Data', 8],
    ['User Switch, Backup Access', 19],
  ]);
  expect(new Set(series.map(({ tone }) => tone)).size).toBe(6);
  const failures = buildChartSeries(all.slice(1, 2).concat(all.slice(4, 7)), {
    bucket: 'day',
    from: at('2026-11-21'),
    to: at('2026-11-22'),
  });
  expect(failures.series).toHaveLength(4);
  expect(new Set(failures.series.map(({ tone }) => tone)).size).toBe(4);
});

test('handles a period without counts', () => {
  const { steps, series } = buildChartSeries([], {
    bucket: 'hour',
    from: at('2026-11-21'),
    to: at('2026-11-21'),
  });
  expect([steps.length, series]).toEqual([1, []]);
});

test('converts a range of buckets to a period that includes the last one', () => {
  expect(getChartPeriod(['2026-11-20', '2026-11-21'], 0, 1)).toEqual({
    from: at('2026-11-20'),
    to: at('2026-11-22'),
  });
  const hours = ['2026-11-21T08:00:00.000Z', '2026-11-21T09:00:00.000Z'];
  expect(getChartPeriod(hours, 1, 1)).toEqual({
    from: at('2026-11-21T09:00:00Z'),
    to: at('2026-11-21T10:00:00Z'),
  });
});

test('reserves red for failures', () => {
  const day = '2026-11-21T00:00:00.000Z';
  const period = { bucket: 'day' as const, from: at('2026-11-21'), to: at('2026-11-22') };
  const withoutFailures = buildChartSeries(
    [1, 3, 4, 8, 9].map((type) => count(day, type, 1)),
    period,
  );
  expect(withoutFailures.series.map(({ tone }) => tone)).not.toContain(5);
  expect(
    buildChartSeries([count(day, 6, 1), count(day, 9, 1)], period).series.map(({ tone }) => tone),
  ).toEqual([5, 6]);
});
