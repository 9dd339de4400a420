import { expect, test } from 'vitest';
import { around, aroundQuery, AROUND } from './around.ts';
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

test('what is asked for ends behind the row and covers a day, as far as the report reaches', () => {
  expect(aroundQuery({ userIds: [7] }, NOW - 60 * MINUTE, { now: NOW })).toEqual({
    userIds: [7],
    dateFrom: '2026-11-20T07:45:00.001Z',
    dateTo: '2026-11-21T07:45:00.001Z',
  });
  expect(aroundQuery({}, Date.parse('2026-08-23T03:00:00Z'), { now: NOW })).toEqual({
    dateTo: '2026-08-24T00:00:00.000Z',
  });
});

test('around is fifteen minutes on both sides', () => {
  const { rows, total } = around([row(16), row(15), row(0), row(-15), row(-16)], NOW, 1000);
  expect([rows.map(({ activityId }) => activityId), total]).toEqual([[15, 0, -15], 3]);
  expect(AROUND).toBe(15 * MINUTE);
});

test('of many rows the nearest on both sides are shown, and it is said where not all are known', () => {
  const many = Array.from({ length: 300 }, (_, at) => row((150 - at) / 20));
  const { rows, total } = around(many, NOW, 1000);
  expect([rows.length, total]).toEqual([101, 300]);
  expect(rows[50]).toEqual(row(0));
  expect(around(many, NOW, 300).total).toBeUndefined();
});
