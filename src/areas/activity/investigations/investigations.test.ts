import { expect, test } from 'vitest';
import type { ActivityRow } from '../model/row.ts';
import { compareRows, buildCurrentQuery } from './investigations.ts';

const NOW = Date.parse('2026-11-21T08:30:00.000Z');
const row = (activityId: number, date = '2026-11-20T08:00:00.000Z'): ActivityRow => ({
  activityId,
  userId: 7,
  userName: 'ada@example.com',
  fullName: 'Ada Marsh',
  eventDate: date,
  activityTypeId: 1,
  activityType: 'Login Successful',
  sourceTypeId: 1,
  sourceType: 'Web UI',
});
const info = (query: object) => ({
  id: 4,
  name: 'One',
  notes: '',
  query,
  createdBy: 1,
  createdByName: null,
  createdDate: '2026-11-20T08:00:00.000Z',
  modifiedDate: '2026-11-20T08:00:00.000Z',
  totalRecords: 1,
  frozenRows: 1,
  sha256: 'ab',
});

test('rows that are not frozen count as added', () => {
  const now = { totalRecords: 2, rows: [row(2), row(1)] };
  expect(compareRows([row(1)], now, NOW)).toEqual({
    added: [row(2)],
    comparedCount: undefined,
    expiredCount: 0,
  });
  expect(compareRows([row(1)], { ...now, totalRecords: 5 }, NOW).comparedCount).toBe(2);
  expect(compareRows([row(1, '2026-01-01T00:00:00.000Z')], now, NOW).expiredCount).toBe(1);
});

test('rows older than the oldest frozen row do not count as added', () => {
  const frozen = Array.from({ length: 1000 }, (_, at) => row(at + 10, '2026-11-20T08:00:00.000Z'));
  const now = {
    totalRecords: 1002,
    rows: [row(5000, '2026-11-20T09:00:00.000Z'), row(1, '2026-11-19T08:00:00.000Z')],
  };
  expect(compareRows(frozen, now, NOW).added).toEqual([row(5000, '2026-11-20T09:00:00.000Z')]);
});

test('the current query does not start before the report', () => {
  expect(buildCurrentQuery(info({ dateFrom: '2026-01-01T00:00:00.000Z', activity: 2 }), NOW)).toEqual({
    activity: 2,
  });
  expect(buildCurrentQuery(info({ dateFrom: '2026-11-01T00:00:00.000Z' }), NOW)).toEqual({
    dateFrom: '2026-11-01T00:00:00.000Z',
  });
  expect(buildCurrentQuery(info({ dateTo: '2026-08-23T12:00:00.000Z' }), NOW)).toBeUndefined();
});
