import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  LicenseSeats,
  UnusedLicense,
  UserLicenseChange,
} from '../../../contract/generated/types.gen.ts';
import { send, type Calls, type Refusal } from '../../testing/calls.ts';
import { as, joinSite, makeKey, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { readDays } from './seats.ts';

const DAY = 86_400_000;
const dayAt = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY).toISOString().slice(0, 10);
const steps = (changes: readonly UserLicenseChange[]) =>
  changes.map(({ previousLicenseTypeId, licenseTypeId }) => [previousLicenseTypeId, licenseTypeId]);

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let api: Calls;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    admin = await makePerson(house().db, siteId);
    api = as(house().app, admin);
  });

  const create = async (name: string) =>
    (
      await api.post<number>('user', {
        email: `${crypto.randomUUID()}@people.test`,
        firstName: name,
        lastName: 'Okafor',
        password: 'correct horse battery',
      })
    ).body;
  const give = (userId: number, licenseTypeId: number, by = api) =>
    by.put('userLicense', { userId, licenseTypeId });

  const history = async (userId: number, query = '') =>
    (await api.get<UserLicenseChange[]>(`userLicense/${userId}/history?${query}`)).body;
  const seats = async (query = '') => (await api.get<LicenseSeats[]>(`userLicenses/seats?${query}`)).body;
  /** Moves what was audited of these actions back by so many days. */
  const moveBack = (action: string, days: number) =>
    sql`update audit_log set at = at - make_interval(days => ${days}::int)
      where site_id = ${siteId} and action = ${action}`.execute(house().db);
  const unused = async (query = '') => (await api.get<UnusedLicense[]>(`userLicenses/unused?${query}`)).body;
  /** Somebody who came and was last active so many days ago; never: null. */
  const idle = async (came: number, active: number | null, licenseTypeId = 1) => {
    const person = await makePerson(house().db, siteId, { licenseTypeId });
    await sql`update membership set created_at = now() - make_interval(days => ${came}::int),
      last_active_at = now() - make_interval(days => ${active}::int) where user_id = ${person.userId}`.execute(
      house().db,
    );
    return person;
  };

  describe('the history of a license', () => {
    test('begins with how the user came and has the newest first, with who did it', async () => {
      const userId = await create('Bo');
      await give(userId, 2);
      await give(userId, 2);
      await api.put('user', { id: userId, lastName: 'Smith' });
      await give(userId, 4);
      const changes = await history(userId);
      expect(steps(changes)).toEqual([
        [2, 4],
        [1, 2],
        [null, 1],
      ]);
      expect(changes[0]).toMatchObject({ changedBy: admin.userId, changedByName: 'Ada Okafor' });
      expect(Math.abs(Date.now() - Date.parse(changes[0]?.date ?? ''))).toBeLessThan(60_000);
    });

    test('comes by pages', async () => {
      const userId = await create('Bo');
      for (const type of [2, 3, 1, 2]) await give(userId, type);
      const all = await history(userId);
      expect(all).toHaveLength(5);
      expect(await history(userId, 'pageSize=2&pageNumber=2')).toEqual(all.slice(2, 4));
      expect(await history(userId, 'pageSize=2&pageNumber=3')).toEqual(all.slice(4));
      expect(await history(userId, 'pageSize=2&pageNumber=2147483647')).toEqual([]);
    });

    test('does not name who has left the site, and forgets nothing of who leaves it and comes back', async () => {
      const leaver = await makePerson(house().db, siteId);
      const userId = await create('Bo');
      await give(userId, 3, as(house().app, leaver));
      await api.del(`user/${leaver.userId}`);
      expect((await history(userId))[0]).toMatchObject({ changedBy: leaver.userId, changedByName: null });
      await api.del(`user/${userId}`);
      expect((await api.get(`userLicense/${userId}/history`)).status).toBe(404);
      await joinSite(house().db, siteId, userId);
      expect(steps(await history(userId))).toEqual([
        [1, 3],
        [null, 1],
      ]);
    });

    test('404 for nobody, and nothing of another site', async () => {
      const other = await makeSite(house().db);
      const elsewhere = as(house().app, await makePerson(house().db, other));
      const userId = await create('Bo');
      expect((await elsewhere.get(`userLicense/${userId}/history`)).status).toBe(404);
      await joinSite(house().db, other, userId);
      await give(userId, 2, elsewhere);
      expect(steps(await history(userId))).toEqual([[null, 1]]);
      expect((await api.get('userLicense/2147483647/history')).status).toBe(404);
    });
  });

  describe('the seats of each day', () => {
    test('are walked back from the present: who came, changed and left', async () => {
      const [bo, cy, di] = [await create('Bo'), await create('Cy'), await create('Di')];
      await moveBack('user.create', 10);
      await give(bo, 2);
      await give(cy, 4);
      await moveBack('license.change', 5);
      await api.del(`user/${di}`);
      await moveBack('user.remove', 2);
      await give(bo, 3);
      const days = await seats(`dateFrom=${dayAt(11)}&dateTo=${dayAt(0)}`);
      const at = (ago: number) => days.find(({ date }) => date === dayAt(ago));
      const none = { standard: 1, limited: 0, free: 0, none: 0, billable: 1 };
      expect(days).toHaveLength(12);
      expect(at(11)).toEqual({ ...none, date: dayAt(11) });
      expect(at(10)).toEqual({ ...none, date: dayAt(10), standard: 4, billable: 4 });
      expect(at(6)).toEqual({ ...none, date: dayAt(6), standard: 4, billable: 4 });
      const midway = { standard: 2, limited: 1, free: 0, none: 1, billable: 3 };
      expect(at(5)).toEqual({ ...midway, date: dayAt(5) });
      expect(at(2)).toEqual({ ...midway, date: dayAt(2), standard: 1, billable: 2 });
      expect(at(0)).toEqual({ date: dayAt(0), standard: 1, limited: 0, free: 1, none: 1, billable: 1 });
      expect(await seats(`dateFrom=${dayAt(6)}&dateTo=${dayAt(5)}`)).toEqual([at(6), at(5)]);
    });

    test('are those of a year unless asked otherwise, and days to come are left out', async () => {
      const year = await seats();
      expect([year.length, year.at(0)?.date, year.at(-1)?.date]).toEqual([366, dayAt(365), dayAt(0)]);
      expect((await seats(`dateFrom=${dayAt(1)}&dateTo=${dayAt(-30)}`)).map(({ date }) => date)).toEqual([
        dayAt(1),
        dayAt(0),
      ]);
      expect(await seats(`dateFrom=${dayAt(-1)}`)).toMatchObject({
        errors: [{ path: 'dateTo' }],
      });
      expect(await seats(`dateFrom=${dayAt(-1)}&dateTo=${dayAt(-3)}`)).toEqual([]);
      expect(await seats('dateFrom=0001-01-01&dateTo=0001-02-01')).toHaveLength(32);
    });

    test.each([
      ['dateFrom=2025-01-01&dateTo=2026-01-02', 'dateFrom'],
      ['dateFrom=2026-02-02&dateTo=2026-02-01', 'dateTo'],
      ['dateFrom=2026-02-30', 'dateFrom'],
      ['dateTo=today', 'dateTo'],
      ['dateTo=2026-02-01T00:00:00Z', 'dateTo'],
      ['days=3', 'days'],
    ])('%s is 400', async (query, path) => {
      const { status, body } = await api.get<Refusal>(`userLicenses/seats?${query}`);
      expect([status, body.errors?.map((each) => each.path)]).toEqual([400, [path]]);
    });
  });

  describe('licenses that nobody uses', () => {
    test('are billable, of people who are here long enough and were not active since', async () => {
      const [long, never] = [await idle(200, 95), await idle(100, null, 2)];
      await idle(200, 3);
      await idle(200, 95, 3);
      await idle(200, null, 4);
      await idle(80, null);
      const month = await idle(200, 40);
      expect((await unused()).map(({ userId, licenseTypeId }) => [userId, licenseTypeId])).toEqual([
        [long.userId, 1],
        [never.userId, 2],
      ]);
      const [first, second] = await unused();
      expect([first?.lastActivityDate?.slice(0, 10), second?.lastActivityDate]).toEqual([dayAt(95), null]);
      expect((await unused('days=30')).map(({ userId }) => userId)).toContain(month.userId);
      expect(await unused('days=30&pageSize=2&pageNumber=2')).toEqual((await unused('days=30')).slice(2));
    });

    test('a token of a program is activity too', async () => {
      const person = await idle(200, 95);
      await sql`delete from api_key where user_id = ${person.userId}`.execute(house().db);
      const { secret, clientId } = await makeKey(house().db, person);
      expect(await unused()).toHaveLength(1);
      const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: String(clientId) });
      form.set('client_secret', secret);
      const answer = await send(house().app, {
        method: 'POST',
        url: '/api/rest/v1/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: form.toString(),
      });
      expect(answer.status).toBe(200);
      expect(await unused()).toEqual([]);
    });

    test.each(['days=0', 'days=91', 'days=x', 'pageSize=1001'])('%s is 400', async (query) => {
      expect((await api.get(`userLicenses/unused?${query}`)).status).toBe(400);
    });
  });
});

test('366 days are the most, the first and the last included', () => {
  const now = Date.parse('2026-11-21T23:59:59Z');
  expect(readDays({ dateFrom: '2024-01-01', dateTo: '2024-12-31' }, now)).toHaveLength(366);
  expect(() => readDays({ dateFrom: '2024-01-01', dateTo: '2025-01-01' }, now)).toThrow('366 days');
});
