import { expect, test, vi } from 'vitest';
import { pagedRows, underNewer } from './paged.ts';
import { actorOf, addressOf, kindOf, principalOf } from './row.ts';
import type { ActivityRow } from './row.ts';
import { joined, NOTHING_NEWER } from './tail.ts';

const SINCE = Date.parse('2026-11-21T08:00:00Z');
const row = (activityId: number, seconds: number, more: Partial<ActivityRow> = {}): ActivityRow => ({
  activityId,
  userId: 7,
  userName: 'ada@example.com',
  fullName: 'Ada Marsh',
  eventDate: new Date(SINCE + seconds * 1000).toISOString(),
  activityTypeId: 1,
  activityType: 'Login Successful',
  sourceTypeId: 1,
  sourceType: 'Web UI',
  ...more,
});
const ids = (rows: readonly ActivityRow[]) => rows.map(({ activityId }) => activityId);

test('what came since is told once, the newest first, and marked', () => {
  const first = joined(NOTHING_NEWER, [row(3, 2), row(2, 0), row(1, -1)], SINCE, 100);
  expect(ids(first.rows)).toEqual([3, 2]);
  expect(first.rows.every(({ fresh }) => fresh)).toBe(true);
  const second = joined(first, [row(5, 4), row(4, 1), row(3, 2)], SINCE, 100);
  expect(ids(second.rows)).toEqual([5, 3, 4, 2]);
  expect(joined(second, [row(5, 4)], SINCE, 100)).toBe(second);
});

test('more than an answer holds leaves a gap', () => {
  const known = joined(NOTHING_NEWER, [row(1, 1)], SINCE, 2);
  expect(known.gap).toBe(false);
  expect(joined(known, [row(3, 3), row(2, 2)], SINCE, 2).gap).toBe(true);
  expect(joined(known, [row(2, 2), row(1, 1)], SINCE, 2).gap).toBe(false);
});

test('pages in view are read once, with those beside them', async () => {
  const read = vi.fn<(number: number) => Promise<string[]>>((number) =>
    Promise.resolve([`${number}a`, `${number}b`]),
  );
  const rows = pagedRows({ length: 7, size: 2, first: ['1a', '1b'], read });
  expect(rows.at(1)).toBe('1b');
  expect(rows.at(5)).toBeUndefined();
  await vi.waitFor(() => expect(rows.at(5)).toBe('3b'));
  expect(new Set(read.mock.calls.flat())).toEqual(new Set([2, 3, 4]));
  expect(underNewer(['new'], rows).at(1)).toBe('1a');
  expect(underNewer(['new'], rows).length).toBe(8);
  expect(underNewer([], rows)).toBe(rows);
});

test('a page that could not be read is read again when it is looked for', async () => {
  const read = vi
    .fn<() => Promise<string[]>>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue(['2a']);
  const rows = pagedRows({ length: 3, size: 2, first: ['1a', '1b'], read });
  rows.at(2);
  await vi.waitFor(() => expect(rows.at(2)).toBe('2a'));
});

test('rows are told in words', () => {
  expect(addressOf({ ipAddress: 3_405_803_783 })).toBe('203.0.113.7');
  expect(addressOf({ ipAddress: '2001:db8::1' })).toBe('2001:db8::1');
  expect(addressOf({})).toBeUndefined();
  expect(actorOf(row(1, 0, { fullName: ' ', userName: '' }))).toBe('User 7');
  expect(kindOf(row(1, 0, { exportDataType: 0 }))).toBe('Export Data');
  expect(kindOf(row(1, 0, { exportDataType: null }))).toBeUndefined();
  expect(principalOf(row(1, 0))).toBeUndefined();
  expect(principalOf(row(1, 0, { principalUserId: 3 }))).toEqual({ id: 3, name: 'User 3' });
  expect(principalOf(row(1, 0, { principalUserName: 'b@example.com' }))).toEqual({
    id: undefined,
    name: 'b@example.com',
  });
});
