import { expect, test } from 'vitest';
import { around, aroundQuery, AROUND } from './-around.ts';
import type { ActivityRow } from './-row.ts';

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
  expect(aroundQuery({ userIds: [7] }, NOW - 60 * MINUTE, NOW)).toEqual({
    userIds: [7],
    dateFrom: '2026-11-20T07:45:00.001Z',
    dateTo: '2026-11-21T07:45:00.001Z',
  });
  expect(aroundQuery({}, Date.parse('2026-08-23T03:00:00Z'), NOW)).toEqual({
    dateTo: '2026-08-24T00:00:00.000Z',
  });
});

test('around is fifteen minutes on both sides', () => {
  expect(
    around([row(16), row(15), row(0), row(-15), row(-16)], NOW).map(({ activityId }) => activityId),
  ).toEqual([15, 0, -15]);
  expect(AROUND).toBe(15 * MINUTE);
});
