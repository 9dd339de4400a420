import { expect, test } from 'vitest';
import { compared, questionNow } from './investigations.ts';
import type { ActivityRow } from '../model/row.ts';

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

test('what was added is what was not frozen', () => {
  const now = { totalRecords: 2, rows: [row(2), row(1)] };
  expect(compared([row(1)], now, NOW)).toEqual({ added: [row(2)], ofNewest: undefined, beyond: 0 });
  expect(compared([row(1)], { ...now, totalRecords: 5 }, NOW).ofNewest).toBe(2);
  expect(compared([row(1, '2026-01-01T00:00:00.000Z')], now, NOW).beyond).toBe(1);
});

test('rows older than those that could be frozen were there already', () => {
  const frozen = Array.from({ length: 1000 }, (_, at) => row(at + 10, '2026-11-20T08:00:00.000Z'));
  const now = {
    totalRecords: 1002,
    rows: [row(5000, '2026-11-20T09:00:00.000Z'), row(1, '2026-11-19T08:00:00.000Z')],
  };
  expect(compared(frozen, now, NOW).added).toEqual([row(5000, '2026-11-20T09:00:00.000Z')]);
});

test('what the report no longer reaches is not asked for', () => {
  expect(questionNow(info({ dateFrom: '2026-01-01T00:00:00.000Z', activity: 2 }), NOW)).toEqual({
    activity: 2,
  });
  expect(questionNow(info({ dateFrom: '2026-11-01T00:00:00.000Z' }), NOW)).toEqual({
    dateFrom: '2026-11-01T00:00:00.000Z',
  });
  expect(questionNow(info({ dateTo: '2026-08-23T12:00:00.000Z' }), NOW)).toBeUndefined();
});
