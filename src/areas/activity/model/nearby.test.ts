import { expect, test } from 'vitest';
import { selectNearbyRows, buildNearbyQuery, NEARBY_MS } from './nearby.ts';
import type { ActivityRow } from './row.ts';

const NOW = Date.parse('2026-11-21T08:30:00.000Z');
const MINUTE = 60_000;
const row = (minutes: number): ActivityRow => ({
  activityId: minutes,
  userId: 7,
  userName: 'ada@example.com',
  fullName: 'Ada Marsh',
  eventDate: new Date(NOW + minutes * MINUTE).toISOString(),
  activityTypeId: 1,
  activityType: 'Login Successful',
  sourceTypeId: 1,
  sourceType: 'Web UI',
});

test('the query covers a day that ends after the row, within the report', () => {
  expect(buildNearbyQuery({ userIds: [7] }, NOW - 60 * MINUTE, { now: NOW })).toEqual({
    userIds: [7],
    dateFrom: '2026-11-20T07:45:00.001Z',
    dateTo: '2026-11-21T07:45:00.001Z',
  });
  expect(buildNearbyQuery({}, Date.parse('2026-08-23T03:00:00Z'), { now: NOW })).toEqual({
    dateTo: '2026-08-24T00:00:00.000Z',
  });
});

test('nearby rows lie within fifteen minutes before and after', () => {
  const { rows, total } = selectNearbyRows([row(16), row(15), row(0), row(-15), row(-16)], NOW, 1000);
  expect([rows.map(({ activityId }) => activityId), total]).toEqual([[15, 0, -15], 3]);
  expect(NEARBY_MS).toBe(15 * MINUTE);
});

test('selects the nearest rows on both sides, and leaves the total open if the response was full', () => {
  const many = Array.from({ length: 300 }, (_, at) => row((150 - at) / 20));
  const { rows, total } = selectNearbyRows(many, NOW, 1000);
  expect([rows.length, total]).toEqual([101, 300]);
  expect(rows[50]).toEqual(row(0));
  expect(selectNearbyRows(many, NOW, 300).total).toBeUndefined();
});
