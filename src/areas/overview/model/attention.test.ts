import { expect, test } from 'vitest';
import type { GetBackupsResponse, Job } from '../../../../contract/generated/types.gen.ts';
import { countByDay, findAttention, listDays } from './attention.ts';
import type { SiteFacts } from './attention.ts';

const now = new Date('2026-03-30T12:00:00.000Z');
const days = listDays(now, 30);
const titles = (facts: SiteFacts) => findAttention(facts, now).map(({ title }) => title);

const failures = (usual: number, recent: number) =>
  days.map((day, index) => ({
    date: `${day}T00:00:00.000Z`,
    activityTypeId: 2,
    count: index === 29 ? recent : usual,
  }));
const backup = (createdDate: string, status: GetBackupsResponse['status'] = 'Ready') => ({
  fileName: 'a.zip',
  createdDate,
  status,
});

test('counts activity by day, with days without any', () => {
  expect([days[0], days.at(-1)]).toEqual(['2026-03-01', '2026-03-30']);
  const counted = countByDay([{ date: '2026-03-02T00:00:00.000Z', activityTypeId: 1, count: 7 }], [1], days);
  expect(counted.slice(0, 3)).toEqual([0, 7, 0]);
});

test('reports failed sign-ins only far above the usual number', () => {
  expect(titles({ activity: failures(3, 41) })).toEqual(['44 failed sign-ins since yesterday, usually 6']);
  expect(titles({ activity: failures(20, 30) })).toEqual([]);
  expect(titles({ activity: failures(0, 9) })).toEqual([]);
});

test('reports the age of the newest finished backup, sooner with a schedule', () => {
  const backups = [backup('2026-03-20T12:00:00.000Z'), backup('2026-03-30T11:00:00.000Z', 'Failed')];
  expect(titles({ backups })).toEqual(['No backup for 10 days']);
  const recent = [backup('2026-03-27T12:00:00.000Z')];
  expect(titles({ backups: recent })).toEqual([]);
  expect(titles({ backups: recent, isDailyBackup: true })).toEqual(['No backup for 3 days']);
  expect(titles({ backups: [] })).toEqual([]);
});

test('puts failures before warnings', () => {
  const key = { clientId: 1, scopes: [], createdDate: '2026-01-01T00:00:00.000Z' };
  const person = {
    userId: 1,
    userName: 'a@b.test',
    fullName: 'Ada Okafor',
    isAdministrator: true,
    twoFactorEnabled: false,
  };
  const failedJob = {
    state: 'finished',
    failed: 2,
    title: 'Set licenses',
    finishedDate: '2026-03-29T12:00:00.000Z',
  };
  const found = findAttention(
    {
      coverage: {
        requiredSetUp: 0,
        requiredNotSetUp: 0,
        optionalSetUp: 0,
        optionalNotSetUp: 2,
        administratorsNotSetUp: 2,
        people: [person],
      },
      jobs: [failedJob as Job],
      taskFailures: 1,
      apiKey: { ...key, expiresDate: '2026-04-02T12:00:00.000Z' },
    },
    now,
  );
  expect(found.map(({ id, tone }) => `${tone} ${id}`)).toEqual([
    'bad tasks',
    'warn jobs',
    'warn apiKey',
    'warn secondFactor',
  ]);
  expect(found.at(-1)?.detail).toBe('Ada Okafor, 1 more');
});
