import { expect, test } from 'vitest';
import type {
  Destination,
  GetBackupsResponse,
  InvitationInfoResponse,
  Job,
  SiteSettings,
} from '../../../../contract/generated/types.gen.ts';
import { countByDay, findAttention, hasLockOuts, listDays } from './attention.ts';
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

const createLockedOut = (userId: number, fullName: string) => ({
  userId,
  userName: `${userId}@b.test`,
  fullName,
  count: 9,
});

const createRefusal = (date: string) => [{ date: `${date}T00:00:00.000Z`, activityTypeId: 5, count: 1 }];

const createSettings = (storageUsedBytes: number, storageLimitBytes: number | null) =>
  ({ settings: { storageUsedBytes, storageLimitBytes } as SiteSettings }) satisfies SiteFacts;

const createJob = (more: Partial<Job>) =>
  ({
    state: 'finished',
    failed: 0,
    title: 'Set licenses',
    finishedDate: '2026-03-29T12:00:00.000Z',
    ...more,
  }) as Job;

const createEnding = (email: string, membershipExpiresDate: string | null) =>
  ({ email, membershipExpiresDate }) as InvitationInfoResponse;

const createDestination = (more: Partial<Destination>) =>
  ({ name: 'crm', isEnabled: true, failures: 0, lag: 0, ...more }) as Destination;

const createImporter = (userId: number, lastEmailSyncDate: string | null) => ({
  userId,
  emailAddress: `${userId}@b.test`,
  lastEmailSyncDate,
  lastMeetingSyncDate: null,
});

const getFirst = (facts: SiteFacts, at = now) => findAttention(facts, at)[0];

test('counts the people whose account is locked, not their attempts', () => {
  expect(getFirst({ lockedOut: [createLockedOut(1, 'Ada Okafor'), createLockedOut(2, ' ')] })).toMatchObject({
    id: 'lockedOut',
    title: '2 people could not sign in because their account is locked',
    detail: 'Ada Okafor, 2@b.test, since yesterday. A new password unlocks an account immediately.',
  });
  const ten = Array.from({ length: 10 }, (_, at) => createLockedOut(at + 1, `P${at}`));
  expect(getFirst({ lockedOut: ten })?.title).toBe(
    '10 people or more could not sign in because their account is locked',
  );
  expect(titles({ lockedOut: [] })).toEqual([]);
  expect([
    hasLockOuts(createRefusal('2026-03-29'), now),
    hasLockOuts(createRefusal('2026-03-28'), now),
  ]).toEqual([true, false]);
});

test('reports an API key that ends soon or has ended', () => {
  const key = { clientId: 1, scopes: [], createdDate: '2026-01-01T00:00:00.000Z' };
  expect(titles({ apiKey: { ...key, expiresDate: '2026-04-13T12:00:00.000Z' } })).toEqual([
    'Your API key expires in 14 days',
  ]);
  expect(titles({ apiKey: { ...key, expiresDate: '2026-04-14T12:00:00.000Z' } })).toEqual([]);
  const expired = { ...key, expiresDate: '2026-03-01T12:00:00.000Z' };
  expect(titles({ apiKey: null, expiredApiKey: expired })).toEqual(['Your API key has expired']);
  expect(titles({ apiKey: key, expiredApiKey: expired })).toEqual([]);
});

test('reports storage from nine tenths of its limit on', () => {
  expect(getFirst(createSettings(900, 1000))).toMatchObject({ id: 'storage', tone: 'warn' });
  expect(titles(createSettings(899, 1000))).toEqual([]);
  expect(titles(createSettings(899, null))).toEqual([]);
});

test('reports failed jobs of a week, and failed background work', () => {
  expect(
    titles({ jobs: [createJob({ failed: 1 }), createJob({ state: 'stopped' }), createJob({})] }),
  ).toEqual(['2 jobs of yours had failures']);
  expect(titles({ jobs: [createJob({ failed: 1, finishedDate: '2026-03-23T12:00:00.000Z' })] })).toEqual([]);
  expect(titles({ taskFailures: 2 })).toEqual(['2 parts of the background work failed']);
});

test('reports temporary memberships that end, the first one by name', () => {
  const soon = [
    createEnding('b@b.test', '2026-04-05T12:00:00.000Z'),
    createEnding('a@b.test', '2026-03-31T12:00:00.000Z'),
  ];
  expect(getFirst({ endingMemberships: soon })).toEqual({
    id: 'memberships',
    tone: 'warn',
    title: '2 memberships end within a week',
    detail: 'The first tomorrow: a@b.test. Extend those that go on.',
  });
  expect(titles({ endingMemberships: soon.slice(1) })).toEqual(['1 membership ends within a week']);
  expect(titles({ endingMemberships: [createEnding('c@b.test', null)] })).toEqual([]);
});

test('reports destinations that fail or that the service switched off, not those of people', () => {
  const failing = createDestination({ failures: 3, failingSince: '2026-03-30T11:00:00.000Z', lag: 12 });
  const off = createDestination({
    name: 'lake',
    isEnabled: false,
    disabledReason: 'Three days without an answer',
    lag: 30,
  });
  expect(getFirst({ destinations: [failing, off, createDestination({})] })).toMatchObject({
    id: 'deliveries',
    tone: 'bad',
    title: '2 destinations receive no events',
  });
  expect(getFirst({ destinations: [failing, off] })?.detail).toMatch(
    /^crm, lake, since .+\. 42 events wait\.$/,
  );
  expect(titles({ destinations: [failing] })).toEqual(['1 destination receives no events']);
  expect(titles({ destinations: [createDestination({}), createDestination({ isEnabled: false })] })).toEqual(
    [],
  );
});

test('reports destinations that have lost events within 9 days', () => {
  const losing = createDestination({ lostEvents: 3, lostDate: '2026-03-29T11:00:00.000Z' });
  const before = createDestination({ name: 'lake', lostEvents: 4, lostDate: '2026-03-02T11:00:00.000Z' });
  expect(getFirst({ destinations: [before, losing] })).toMatchObject({
    id: 'lostEvents',
    tone: 'bad',
    title: '1 destination has lost events',
    detail: 'crm. 3 events were deleted before delivery.',
  });
  expect(titles({ destinations: [before] })).toEqual([]);
});

test('reports people without an import of the month in the two days before it closes', () => {
  const facts: SiteFacts = {
    importTimeZone: 'UTC',
    importStatus: [
      createImporter(1, '2026-03-04T08:00:00.000Z'),
      createImporter(2, '2026-02-27T08:00:00.000Z'),
      createImporter(3, null),
    ],
  };
  const near = new Date('2026-04-01T00:00:00.000Z');
  expect(getFirst(facts, near)).toEqual({
    id: 'imports',
    tone: 'warn',
    title: 'March closes in 1 d 1 h, and 2 people have no import of it',
    detail: '3@b.test, 2@b.test. Later items are accepted and marked late.',
  });
  expect(findAttention(facts, new Date('2026-03-30T00:00:00.000Z'))).toEqual([]);
  expect(findAttention({ importTimeZone: 'UTC' }, near)).toEqual([]);
  expect(
    findAttention({ ...facts, importStatus: [createImporter(1, '2026-03-04T08:00:00.000Z')] }, near),
  ).toEqual([]);
});
