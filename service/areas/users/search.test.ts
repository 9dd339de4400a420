import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { as, joinSite, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PEOPLE = 1234;
const daysAgo = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString();

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  let ids: number[] = [];
  beforeAll(async () => {
    const { db } = context();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    api = as(context().app, admin);
    await sql`insert into account (email, email_key, first_name, last_name, home_site_id)
      select 'p' || n || '@many.test', 'p' || n || '@many.test', 'P', 'N', ${siteId} from generate_series(1, ${PEOPLE - 1}) n`.execute(
      db,
    );
    await sql`insert into membership (site_id, user_id, license_type_id)
      select ${siteId}, user_id, 1 from account where email like '%@many.test'`.execute(db);
    // Users of another site, who must never be returned.
    await makePerson(db, await makeSite(db));
    const { rows } = await sql<{
      user_id: number;
    }>`select user_id from membership where site_id = ${siteId} order by user_id`.execute(db);
    ids = rows.map((row) => row.user_id);
  });

  const searchIds = async (query: string) =>
    (await api.get<UserInfoResponse[]>(`user?${query}`)).body.map(({ id }) => id);
  const findByIds = async (list: unknown) =>
    (await api.post<UserInfoResponse[]>('users', list)).body.map(({ id }) => id);
  const searchErrors = async (query: string) => {
    const { status, body } = await api.get<ErrorBody>(`user?${query}`);
    return [status, body.errors?.map(({ path }) => path)];
  };

  describe('paging (spec 4.1 rule 4)', () => {
    test('returns ten users on the first page by default', async () => {
      expect(await searchIds('')).toEqual(ids.slice(0, 10));
    });

    test.each([7, 100, 1000])('pages of %d are disjoint, complete and in order', async (size) => {
      const pages: number[][] = [];
      do pages.push(await searchIds(`pageSize=${size}&pageNumber=${pages.length + 1}`));
      while (pages.at(-1)?.length === size);
      expect(pages.flat()).toEqual(ids);
      expect(pages.at(-1)).toHaveLength(PEOPLE % size);
    });

    test('a page beyond the last one is empty', async () => {
      expect(await searchIds('pageSize=1000&pageNumber=3')).toEqual([]);
      expect(await searchIds('pageSize=1000&pageNumber=2147483647')).toEqual([]);
    });

    test.each([
      'pageSize=1001',
      'pageSize=0',
      'pageSize=-1',
      'pageSize=1.5',
      'pageSize=ten',
      'pageSize=',
      'pageSize=1&pageSize=9',
      'pageSize=0x10',
      'pageSize=1e1',
    ])('%s is 400', async (query) => {
      expect(await searchErrors(query)).toEqual([400, ['pageSize']]);
    });

    test.each(['pageNumber=0', 'pageNumber=2147483648', 'pageNumber=99999999999999999999'])(
      '%s is 400',
      async (query) => {
        expect(await searchErrors(query)).toEqual([400, ['pageNumber']]);
      },
    );

    test('reports the limit and all errors at once', async () => {
      const { body } = await api.get<ErrorBody>(
        'user?pageSize=1001&pageNumber=0&colour=red&modifiedSince=yesterday',
      );
      expect(body.errors?.map(({ path }) => path).toSorted()).toEqual([
        'colour',
        'modifiedSince',
        'pageNumber',
        'pageSize',
      ]);
      expect(body.errors?.find(({ path }) => path === 'pageSize')?.message).toBe('must be at most 1000');
    });
  });

  describe('filters', () => {
    test('email finds one user of this site, ignoring case', async () => {
      expect(await searchIds(`email=${encodeURIComponent('P77@MANY.TEST')}`)).toHaveLength(1);
      expect(await searchIds('email=nobody@many.test')).toEqual([]);
      expect(await searchIds('email=p7')).toEqual([]);
      const foreign = await makePerson(context().db, await makeSite(context().db));
      expect(await searchIds(`email=${foreign.email}`)).toEqual([]);
    });

    test('userGroupId finds the members of a group of this site', async () => {
      const groupId = await makeGroup(context().db, siteId);
      const members = [3, 500, 900].map((at) => ids[at] ?? 0);
      for (const userId of members)
        await context()
          .db.insertInto('group_member')
          .values({ site_id: siteId, group_id: groupId, user_id: userId })
          .execute();
      expect(await searchIds(`userGroupId=${groupId}`)).toEqual(members);
      expect(await searchIds(`userGroupId=${groupId}&pageSize=2&pageNumber=2`)).toEqual(members.slice(2));
      expect(await searchIds(`userGroupId=${groupId}&email=${admin.email}`)).toEqual([]);
      const foreign = await makePerson(context().db, await makeSite(context().db));
      expect(await searchIds(`userGroupId=${foreign.groupId}`)).toEqual([]);
      expect(await searchIds('userGroupId=2147483647')).toEqual([]);
    });
  });

  describe('modifiedSince (spec 4.2; shapes 1)', () => {
    let moved: number[] = [];
    beforeAll(async () => {
      moved = [10, 20].map((at) => ids[at] ?? 0);
      await sql`update membership set modified_at = '2026-01-01T00:00:00Z' where site_id = ${siteId}`.execute(
        context().db,
      );
      const [first, second] = moved;
      await sql`update membership set modified_at = now() - interval '100 days' where user_id = ${first}`.execute(
        context().db,
      );
      await sql`update membership set modified_at = date_trunc('day', now()) - interval '50 days' + interval '12:30:15.250' where user_id = ${second}`.execute(
        context().db,
      );
    });

    test('finds users changed at or after the time', async () => {
      expect(await searchIds(`modifiedSince=${daysAgo(101)}`)).toEqual(moved);
      expect(await searchIds(`modifiedSince=${daysAgo(99)}`)).toEqual(moved.slice(1));
      expect(await searchIds(`modifiedSince=${daysAgo(-1)}`)).toEqual([]);
    });

    test('includes the time itself to the millisecond, defaults to UTC and honors time zones', async () => {
      const [user] = (await api.get<UserInfoResponse[]>(`user?modifiedSince=${daysAgo(99)}`)).body;
      const at = user?.modifiedDate ?? '';
      const after = new Date(Date.parse(at) + 1).toISOString();
      const east = new Date(Date.parse(at) + 2 * 3_600_000).toISOString().replace('Z', '%2B02:00');
      expect(at).toMatch(/12:30:15\.250Z$/);
      expect(await searchIds(`modifiedSince=${at}`)).toEqual(moved.slice(1));
      expect(await searchIds(`modifiedSince=${at.slice(0, -1)}`)).toEqual(moved.slice(1));
      expect(await searchIds(`modifiedSince=${east}`)).toEqual(moved.slice(1));
      expect(await searchIds(`modifiedSince=${after}`)).toEqual([]);
      expect(await searchIds(`modifiedSince=${after.slice(0, -1)}`)).toEqual([]);
    });

    test('reaches back 180 days at most', async () => {
      expect((await api.get(`user?modifiedSince=${daysAgo(179.99)}`)).status).toBe(200);
      expect(await searchErrors(`modifiedSince=${daysAgo(180.01)}`)).toEqual([400, ['modifiedSince']]);
    });

    test.each([
      'yesterday',
      '2026-13-01T00:00:00Z',
      '2026-11-20T25:00:00Z',
      '2026-11-31T00:00:00.000Z',
      '1700000000',
      '20.11.2026',
      '',
    ])('rejects %s', async (text) => {
      expect(await searchErrors(`modifiedSince=${text}`)).toEqual([400, ['modifiedSince']]);
    });

    test('finds a change of any part of a user', async () => {
      const groupId = await makeGroup(context().db, siteId);
      const [a = 0, b = 0, c = 0, d = 0] = ids.slice(30, 34);
      const since = daysAgo(0.001);
      await api.put('user', { id: a, lastName: 'New' });
      await api.put('userLicense', { userId: b, licenseTypeId: 3 });
      await api.put('user/group', [{ userIds: [c], groupIds: [groupId] }]);
      await api.put('user', { id: d, twoFactorEnabled: true });
      expect(await searchIds(`modifiedSince=${since}`)).toEqual([a, b, c, d]);
      await sql`update membership set modified_at = '2026-01-01T00:00:00Z' where user_id = ${c}`.execute(
        context().db,
      );
      await api.del(`user/group/${groupId}`);
      expect(await searchIds(`modifiedSince=${since}`)).toContain(c);
    });

    test('finds a changed account on every site of its owner', async () => {
      const other = await makeSite(context().db);
      const elsewhere = as(context().app, await makePerson(context().db, other));
      const shared = ids[40] ?? 0;
      await joinSite(context().db, other, shared);
      await sql`update membership set modified_at = '2026-01-01T00:00:00Z' where user_id = ${shared}`.execute(
        context().db,
      );
      const find = () =>
        elsewhere.get<UserInfoResponse[]>(`user?modifiedSince=${daysAgo(1)}&email=p40@many.test`);
      await api.put('user', { id: shared, firstName: 'Renamed' });
      expect((await find()).body).toMatchObject([{ id: shared, firstName: 'Renamed' }]);
    });
  });

  describe('POST /users', () => {
    test('returns the users with these ids in order and ignores duplicate, unknown and foreign ids', async () => {
      const foreign = await makePerson(context().db, await makeSite(context().db));
      const [a = 0, b = 0, c = 0] = ids;
      expect(await findByIds([c, a, b, a, foreign.userId, 2_147_483_647])).toEqual([a, b, c]);
      expect(await findByIds([])).toEqual([]);
      expect(await findByIds(ids.slice(0, 1000))).toEqual(ids.slice(0, 1000));
    });

    test.each([
      [[0]],
      [[-1]],
      [[2_147_483_648]],
      [['1']],
      [[1.5]],
      [[null]],
      [{}],
      ['1'],
      [Array.from({ length: 1001 }, () => 1)],
    ])('rejects %j', async (list) => {
      expect((await api.post('users', JSON.stringify(list))).status).toBe(400);
    });
  });

  test('reports a single error for a list that is far too long (T17)', async () => {
    const { status, body } = await api.post<ErrorBody>(
      'users',
      JSON.stringify(Array.from({ length: 300_000 }, () => 0)),
    );
    expect([status, body.errors]).toEqual([400, [{ path: 'body', message: 'must have at most 1000 items' }]]);
  });

  test.each(['0', '-1', '2147483648', '1.5', 'abc', '0x10', '1e3', '%00'])('user/%s is 400', async (id) => {
    expect((await api.get(`user/${id}`)).status).toBe(400);
  });
});
