import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  LicenseSeats,
  UnusedLicense,
  UserLicenseChange,
} from '../../../contract/generated/types.gen.ts';
import { send, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import { as, joinSite, makeKey, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { parseDays } from './seats.ts';

const DAY_MS = 86_400_000;
const formatDaysAgo = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const toTypeChanges = (changes: readonly UserLicenseChange[]) =>
  changes.map(({ previousLicenseTypeId, licenseTypeId }) => [previousLicenseTypeId, licenseTypeId]);

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    api = as(context().app, admin);
  });

  const createUser = async (name: string) =>
    (
      await api.post<number>('user', {
        email: `${crypto.randomUUID()}@people.test`,
        firstName: name,
        lastName: 'Okafor',
        password: 'correct horse battery',
      })
    ).body;
  const setLicense = (userId: number, licenseTypeId: number, by = api) =>
    by.put('userLicense', { userId, licenseTypeId });

  const listHistory = async (userId: number, query = '') =>
    (await api.get<UserLicenseChange[]>(`userLicense/${userId}/history?${query}`)).body;
  const listSeats = async (query = '') => (await api.get<LicenseSeats[]>(`userLicenses/seats?${query}`)).body;
  /** Moves audit rows of the action back by a number of days. */
  const moveAuditRowsBack = (action: string, days: number) =>
    sql`update audit_log set at = at - make_interval(days => ${days}::int)
      where site_id = ${siteId} and action = ${action}`.execute(context().db);
  const listUnused = async (query = '') =>
    (await api.get<UnusedLicense[]>(`userLicenses/unused?${query}`)).body;
  /** Creates a user who joined and was last active the given numbers of days ago (null: never). */
  const createIdleUser = async (joinedDaysAgo: number, activeDaysAgo: number | null, licenseTypeId = 1) => {
    const person = await makePerson(context().db, siteId, { licenseTypeId });
    await sql`update membership set created_at = now() - make_interval(days => ${joinedDaysAgo}::int),
      last_active_at = now() - make_interval(days => ${activeDaysAgo}::int) where user_id = ${person.userId}`.execute(
      context().db,
    );
    return person;
  };

  const endIn = (userId: number, days: number) =>
    sql`update membership set expires_at = now() + make_interval(days => ${days}::int)
      where site_id = ${siteId} and user_id = ${userId}`.execute(context().db);
  const forecast = async (query = '') =>
    (await api.get<LicenseSeats[]>(`userLicenses/seats/forecast${query}`)).body;

  describe('the license history', () => {
    test('starts with the creation of the user and lists the newest change first, with its author', async () => {
      const userId = await createUser('Bo');
      await setLicense(userId, 2);
      await setLicense(userId, 2);
      await api.put('user', { id: userId, lastName: 'Smith' });
      await setLicense(userId, 4);
      const changes = await listHistory(userId);
      expect(toTypeChanges(changes)).toEqual([
        [2, 4],
        [1, 2],
        [null, 1],
      ]);
      expect(changes[0]).toMatchObject({ changedBy: admin.userId, changedByName: 'Ada Okafor' });
      expect(Math.abs(Date.now() - Date.parse(changes[0]?.date ?? ''))).toBeLessThan(60_000);
    });

    test('is paged', async () => {
      const userId = await createUser('Bo');
      for (const type of [2, 3, 1, 2]) await setLicense(userId, type);
      const all = await listHistory(userId);
      expect(all).toHaveLength(5);
      expect(await listHistory(userId, 'pageSize=2&pageNumber=2')).toEqual(all.slice(2, 4));
      expect(await listHistory(userId, 'pageSize=2&pageNumber=3')).toEqual(all.slice(4));
      expect(await listHistory(userId, 'pageSize=2&pageNumber=2147483647')).toEqual([]);
    });

    test('does not name authors who left the site, and survives removal and return of the user', async () => {
      const leaver = await makePerson(context().db, siteId);
      const userId = await createUser('Bo');
      await setLicense(userId, 3, as(context().app, leaver));
      await api.del(`user/${leaver.userId}`);
      expect((await listHistory(userId))[0]).toMatchObject({ changedBy: leaver.userId, changedByName: null });
      await api.del(`user/${userId}`);
      expect((await api.get(`userLicense/${userId}/history`)).status).toBe(404);
      await joinSite(context().db, siteId, userId);
      expect(toTypeChanges(await listHistory(userId))).toEqual([
        [1, 3],
        [null, 1],
      ]);
    });

    test('is 404 for an unknown user and excludes other sites', async () => {
      const other = await makeSite(context().db);
      const elsewhere = as(context().app, await makePerson(context().db, other));
      const userId = await createUser('Bo');
      expect((await elsewhere.get(`userLicense/${userId}/history`)).status).toBe(404);
      await joinSite(context().db, other, userId);
      await setLicense(userId, 2, elsewhere);
      expect(toTypeChanges(await listHistory(userId))).toEqual([[null, 1]]);
      expect((await api.get('userLicense/2147483647/history')).status).toBe(404);
    });
  });

  describe('daily seats', () => {
    test('are computed backwards from the present over additions, changes and removals', async () => {
      const [bo, cy, di] = [await createUser('Bo'), await createUser('Cy'), await createUser('Di')];
      await moveAuditRowsBack('user.create', 10);
      await setLicense(bo, 2);
      await setLicense(cy, 4);
      await moveAuditRowsBack('license.change', 5);
      await api.del(`user/${di}`);
      await moveAuditRowsBack('user.remove', 2);
      await setLicense(bo, 3);
      const days = await listSeats(`dateFrom=${formatDaysAgo(11)}&dateTo=${formatDaysAgo(0)}`);
      const at = (ago: number) => days.find(({ date }) => date === formatDaysAgo(ago));
      const none = { standard: 1, limited: 0, free: 0, none: 0, billable: 1 };
      expect(days).toHaveLength(12);
      expect(at(11)).toEqual({ ...none, date: formatDaysAgo(11) });
      expect(at(10)).toEqual({ ...none, date: formatDaysAgo(10), standard: 4, billable: 4 });
      expect(at(6)).toEqual({ ...none, date: formatDaysAgo(6), standard: 4, billable: 4 });
      const midway = { standard: 2, limited: 1, free: 0, none: 1, billable: 3 };
      expect(at(5)).toEqual({ ...midway, date: formatDaysAgo(5) });
      expect(at(2)).toEqual({ ...midway, date: formatDaysAgo(2), standard: 1, billable: 2 });
      expect(at(0)).toEqual({
        date: formatDaysAgo(0),
        standard: 1,
        limited: 0,
        free: 1,
        none: 1,
        billable: 1,
      });
      expect(await listSeats(`dateFrom=${formatDaysAgo(6)}&dateTo=${formatDaysAgo(5)}`)).toEqual([
        at(6),
        at(5),
      ]);
    });

    test('count what a recount of the audit log counts, after random writes, moves and deletions', async () => {
      const { db } = context();
      await sql`insert into audit_log (site_id, at, action, subject_type, subject_id, request_id, changes)
        select ${siteId}, now() - make_interval(hours => (random() * 500)::int), 'license.change', 'user', n::text, '',
          case n % 5 when 0 then '{"firstName": ["a", "b"]}'
            when 1 then jsonb_build_object('licenseTypeId', jsonb_build_array(null, 1 + n % 4))
            when 2 then jsonb_build_object('licenseTypeId', jsonb_build_array(1 + n % 4, null))
            else jsonb_build_object('licenseTypeId', jsonb_build_array(1 + (random() * 3)::int, 1 + (random() * 3)::int)) end
        from generate_series(1, 400) n`.execute(db);
      await sql`update audit_log set at = at - interval '30 hours' where site_id = ${siteId} and audit_id % 3 = 0`.execute(
        db,
      );
      await sql`update audit_log set changes = '{"licenseTypeId": [4, 2]}' where site_id = ${siteId} and audit_id % 7 = 0`.execute(
        db,
      );
      await sql`delete from audit_log where site_id = ${siteId} and audit_id % 11 = 0`.execute(db);
      const { rows: counted } = await sql`select day::text, license_type_id, n from seat_change
        where site_id = ${siteId} and n <> 0 order by 1, 2`.execute(db);
      const { rows: recounted } = await sql`
        select day::text, license_type_id, sum(n)::int as n from (
          select (at at time zone 'UTC')::date as day, (changes -> 'licenseTypeId' ->> 1)::int as license_type_id, 1 as n
          from audit_log where site_id = ${siteId}
          union all
          select (at at time zone 'UTC')::date, (changes -> 'licenseTypeId' ->> 0)::int, -1
          from audit_log where site_id = ${siteId}) as sides
        where license_type_id is not null group by 1, 2 having sum(n) <> 0 order by 1, 2`.execute(db);
      expect(counted.length).toBeGreaterThan(50);
      expect(counted).toEqual(recounted);
    });

    test('cover a year by default and exclude future days', async () => {
      const year = await listSeats();
      expect([year.length, year.at(0)?.date, year.at(-1)?.date]).toEqual([
        366,
        formatDaysAgo(365),
        formatDaysAgo(0),
      ]);
      expect(
        (await listSeats(`dateFrom=${formatDaysAgo(1)}&dateTo=${formatDaysAgo(-30)}`)).map(
          ({ date }) => date,
        ),
      ).toEqual([formatDaysAgo(1), formatDaysAgo(0)]);
      expect(await listSeats(`dateFrom=${formatDaysAgo(-1)}`)).toMatchObject({
        errors: [{ path: 'dateTo' }],
      });
      expect(await listSeats(`dateFrom=${formatDaysAgo(-1)}&dateTo=${formatDaysAgo(-3)}`)).toEqual([]);
      expect(await listSeats('dateFrom=0001-01-01&dateTo=0001-02-01')).toHaveLength(32);
      // The default start is not before the first day there is.
      expect(await listSeats('dateTo=0001-02-01')).toHaveLength(32);
    });

    test.each([
      ['dateFrom=2025-01-01&dateTo=2026-01-02', 'dateFrom'],
      ['dateFrom=2026-02-02&dateTo=2026-02-01', 'dateTo'],
      ['dateFrom=2026-02-30', 'dateFrom'],
      ['dateFrom=0000-12-31&dateTo=0001-01-31', 'dateFrom'],
      ['dateFrom=0000-01-01&dateTo=0000-01-31', 'dateTo'],
      ['dateTo=today', 'dateTo'],
      ['dateTo=2026-02-01T00:00:00Z', 'dateTo'],
      ['days=3', 'days'],
    ])('%s is 400', async (query, path) => {
      const { status, body } = await api.get<ErrorBody>(`userLicenses/seats?${query}`);
      expect([status, body.errors?.map((each) => each.path)]).toEqual([400, [path]]);
    });
  });

  describe('the forecast', () => {
    test('takes away the licenses of temporary members on the day after which they are gone', async () => {
      const [bo, cy, di] = [await createUser('Bo'), await createUser('Cy'), await createUser('Di')];
      await setLicense(cy, 3);
      await endIn(bo, 2);
      await endIn(cy, 2);
      await endIn(di, 40);
      const elsewhere = await makePerson(context().db, await makeSite(context().db));
      await sql`update membership set expires_at = now() + interval '1 day' where user_id = ${elsewhere.userId}`.execute(
        context().db,
      );
      const days = await forecast('?days=3');
      const all = { standard: 3, limited: 0, free: 1, none: 0, billable: 3 };
      const later = { standard: 2, limited: 0, free: 0, none: 2, billable: 2 };
      expect(days).toEqual([
        { date: formatDaysAgo(-1), ...all },
        { date: formatDaysAgo(-2), ...later },
        { date: formatDaysAgo(-3), ...later },
      ]);
      const [first, ...rest] = await forecast();
      expect([first?.standard, rest.length, rest.at(-1)?.standard]).toEqual([3, 89, 1]);
    });

    test('counts a membership that has ended but still holds its license as gone', async () => {
      await endIn(await createUser('Bo'), -1);
      expect((await forecast('?days=1'))[0]).toMatchObject({ standard: 1, none: 1 });
    });

    test.each(['days=0', 'days=367', 'dateFrom=2026-01-01'])('%s is 400', async (query) => {
      expect((await api.get(`userLicenses/seats/forecast?${query}`)).status).toBe(400);
    });
  });

  test('agreed seats are listed with the held and free ones; more may be held', async () => {
    const { db } = context();
    await createUser('Bo');
    await setLicense(await createUser('Cy'), 2);
    await db
      .insertInto('seat_total')
      .values([
        { site_id: siteId, license_type_id: 1, total: 5 },
        { site_id: siteId, license_type_id: 2, total: 0 },
        { site_id: await makeSite(db), license_type_id: 3, total: 9 },
      ])
      .execute();
    expect((await api.get('userLicenses/seats/totals')).body).toEqual([
      { licenseTypeId: 1, total: 5, held: 2, free: 3 },
      { licenseTypeId: 2, total: 0, held: 1, free: -1 },
      { licenseTypeId: 3, total: null, held: 0, free: null },
      { licenseTypeId: 4, total: null, held: 0, free: null },
    ]);
  });

  describe('unused licenses', () => {
    test('are billable licenses of users who joined and were last active long enough ago', async () => {
      const [long, never] = [await createIdleUser(200, 95), await createIdleUser(100, null, 2)];
      await createIdleUser(200, 3);
      await createIdleUser(200, 95, 3);
      await createIdleUser(200, null, 4);
      await createIdleUser(80, null);
      const month = await createIdleUser(200, 40);
      expect((await listUnused()).map(({ userId, licenseTypeId }) => [userId, licenseTypeId])).toEqual([
        [long.userId, 1],
        [never.userId, 2],
      ]);
      const [first, second] = await listUnused();
      expect([first?.lastActivityDate?.slice(0, 10), second?.lastActivityDate]).toEqual([
        formatDaysAgo(95),
        null,
      ]);
      expect((await listUnused('days=30')).map(({ userId }) => userId)).toContain(month.userId);
      expect(await listUnused('days=30&pageSize=2&pageNumber=2')).toEqual(
        (await listUnused('days=30')).slice(2),
      );
    });

    test('exclude users of programs: a token request counts as activity', async () => {
      const person = await createIdleUser(200, 95);
      await sql`delete from api_key where user_id = ${person.userId}`.execute(context().db);
      const { secret, clientId } = await makeKey(context().db, person);
      expect(await listUnused()).toHaveLength(1);
      const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: String(clientId) });
      form.set('client_secret', secret);
      const answer = await send(context().app, {
        method: 'POST',
        url: '/api/rest/v1/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: form.toString(),
      });
      expect(answer.status).toBe(200);
      expect(await listUnused()).toEqual([]);
    });

    test.each(['days=0', 'days=91', 'days=x', 'pageSize=1001'])('%s is 400', async (query) => {
      expect((await api.get(`userLicenses/unused?${query}`)).status).toBe(400);
    });
  });
});

test('a range may have at most 366 days, including the first and the last one', () => {
  const now = Date.parse('2026-11-21T23:59:59Z');
  expect(parseDays({ dateFrom: '2024-01-01', dateTo: '2024-12-31' }, now)).toHaveLength(366);
  expect(() => parseDays({ dateFrom: '2024-01-01', dateTo: '2025-01-01' }, now)).toThrow('366 days');
});
