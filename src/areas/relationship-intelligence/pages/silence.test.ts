import { expect, test } from 'vitest';
import { rankBySilence, toHeatStrip } from './silence.ts';

const status = (userId: number, email: string | null, meeting: string | null) => ({
  userId,
  emailAddress: `u${userId}@example.com`,
  lastEmailSyncDate: email,
  lastMeetingSyncDate: meeting,
});

test('silent users come first: without an import, then by the later of both imports', () => {
  const ranked = rankBySilence(
    [
      status(1, '2026-03-09T00:00:00Z', null),
      status(2, '2026-03-01T00:00:00Z', '2026-03-10T00:00:00Z'),
      status(3, null, null),
      status(4, '2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'),
    ],
    Date.UTC(2026, 2, 10, 12),
  );
  expect(ranked.map(({ userId, silentDays }) => [userId, silentDays])).toEqual([
    [3, undefined],
    [4, 8],
    [1, 1],
    [2, 0],
  ]);
});

test('a strip has 90 days to today in the zone of the site, with levels relative to the busiest', () => {
  const { days, total } = toHeatStrip(
    [
      { date: '2026-03-10', emails: 6, meetings: 2 },
      { date: '2026-03-09', emails: 1, meetings: 0 },
      { date: '2025-01-01', emails: 9, meetings: 0 },
    ],
    Date.UTC(2026, 2, 9, 20),
    'Asia/Tokyo',
  );
  expect(days).toHaveLength(90);
  expect(total).toBe(9);
  expect(days.slice(-3).map(({ date, level }) => [date, level])).toEqual([
    ['2026-03-08', 0],
    ['2026-03-09', 1],
    ['2026-03-10', 4],
  ]);
});
