/** Paging of the management lists with gaps between ids and concurrent writes. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../kernel/db/database.ts';
import { buildListPage, MEMBERS_BY_LICENSE } from '../kernel/db/list-page.ts';
import { up as listBlocks } from '../kernel/db/migrations/0002_list_blocks.ts';
import type { ApiClient } from '../testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Blocks whose count differs from the number of rows. */
async function findWrongBlocks(db: Db): Promise<object[]> {
  const { rows } = await sql<object>`
    with counted as (
      select site_id, 1 as list, license_type_id as part, user_id & -4096 as first_id from membership
      union all select site_id, 2, group_id, user_id & -4096 from group_member
      union all select site_id, 3, 0, group_id & -4096 from user_group),
    truth as (select site_id, list, part, first_id, count(*) as n from counted group by 1, 2, 3, 4)
    select * from truth full join list_block b using (site_id, list, part, first_id)
    where coalesce(truth.n, 0) <> coalesce(b.n, 0)`.execute(db);
  return rows;
}

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  beforeAll(async () => {
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    api = as(context().app, admin);
  });

  describe('with gaps between ids, across blocks', () => {
    let groupId = 0;
    let people: { id: number; type: number; inGroup: boolean }[] = [];
    beforeAll(async () => {
      const { db } = context();
      groupId = await makeGroup(db, siteId);
      // Ids at the edges of blocks, alone in distant blocks, and many in one block.
      const near = range(40).map((index) => 5_000_000 + index * 611);
      const edges = range(6).flatMap((index) => [6_000_640 + index * 4096 - 1, 6_000_640 + index * 4096]);
      const far = range(8).map((index) => 50_000_000 + index * 300_000_007);
      const ids = [...near, ...edges, ...far.filter((id) => id < 2 ** 31)];
      people = ids.map((id, index) => ({ id, type: 1 + (index % 4), inGroup: index % 3 > 0 }));
      await sql`insert into account (user_id, email, email_key, first_name, last_name, home_site_id)
        overriding system value
        select id, id || '@gaps.test', id || '@gaps.test', 'P', 'N', ${siteId} from unnest(${ids}::int[]) id`.execute(
        db,
      );
      await sql`insert into membership (site_id, user_id, license_type_id)
        select ${siteId}, id, type from unnest(${ids}::int[], ${people.map(({ type }) => type)}::smallint[]) as p (id, type)`.execute(
        db,
      );
      await sql`insert into group_member (site_id, group_id, user_id)
        select ${siteId}, ${groupId}, unnest(${people.filter(({ inGroup }) => inGroup).map(({ id }) => id)}::int[])`.execute(
        db,
      );
    });

    const filterIds = (isWanted: (person: { type: number; inGroup: boolean }) => boolean) =>
      [{ id: admin.userId, type: 1, inGroup: false }, ...people].filter(isWanted).map(({ id }) => id);

    async function readAllPages(path: string, pageSize: number): Promise<(number | undefined)[]> {
      const pages: { id?: number; userId?: number }[][] = [];
      do {
        const query = `pageSize=${pageSize}&pageNumber=${pages.length + 1}`;
        pages.push((await api.get<typeof people>(`${path}${path.includes('?') ? '&' : '?'}${query}`)).body);
      } while (pages.at(-1)?.length === pageSize);
      return pages.flat().map(({ id, userId }) => id ?? userId);
    }

    test.each([1, 7, 1000])('pages of %d are disjoint, complete and in order', async (size) => {
      expect(await readAllPages('user', size)).toEqual(filterIds(() => true));
      expect(await readAllPages(`user?userGroupId=${groupId}`, size)).toEqual(
        filterIds(({ inGroup }) => inGroup),
      );
      expect(await readAllPages('userLicenses', size)).toEqual(filterIds(() => true));
      expect(await readAllPages('userLicenses?isBillable=true', size)).toEqual(
        filterIds(({ type }) => type < 3),
      );
      expect(await readAllPages('userLicenses?isBillable=false', size)).toEqual(
        filterIds(({ type }) => type > 2),
      );
      expect(
        await readAllPages(`user?modifiedSince=${new Date(Date.now() - 86_400_000).toISOString()}`, size),
      ).toEqual(filterIds(() => true));
      expect(await readAllPages('user/group', size)).toEqual([admin.groupId, groupId]);
    });

    test('the migration computes the same counts for existing rows', async () => {
      const { db } = context();
      const readBlocks = async () =>
        (await sql`select * from list_block where n <> 0 order by 1, 2, 3, 4`.execute(db)).rows;
      const before = await readBlocks();
      await db.transaction().execute(async (tx) => {
        await sql`drop table list_block`.execute(tx);
        await sql`drop index audit_log_license`.execute(tx);
        await sql
          .raw(
            `drop function membership_count_insert, membership_count_delete, membership_count_update,
            group_member_count_insert, group_member_count_delete, user_group_count_insert, user_group_count_delete cascade`,
          )
          .execute(tx);
        await listBlocks(tx.withTables<never>());
      });
      expect(await readBlocks()).toEqual(before);
      expect(before.length).toBeGreaterThan(60);
    });
  });

  test('counts stay exact with many concurrent writes, without deadlocks', async () => {
    const { db, app } = context();
    const groups = await Promise.all(range(4).map(() => makeGroup(db, siteId)));
    const others = await Promise.all(range(24).map(() => makePerson(db, siteId, { capabilities: [] })));
    const group = (index: number) => groups[index % groups.length];
    const createUser = (index: number) =>
      api.post<number>('user', {
        email: `${crypto.randomUUID()}@people.test`,
        firstName: 'New',
        lastName: `${index}`,
        isActive: false,
        groups: [group(index), group(index + 1)],
      });
    const operations: ((index: number) => Promise<{ status: number }>)[] = [
      createUser,
      (index) =>
        api.put('userLicense', { userId: others[index % 8]?.userId, licenseTypeId: 1 + (index % 3) }),
      (index) =>
        api.put('user/group', [{ userIds: [others[(index * 7) % 16]?.userId], groupIds: [group(index)] }]),
      (index) =>
        api.del('user/group', [{ userIds: [others[(index * 5) % 16]?.userId], groupIds: [group(index)] }]),
      (index) => api.put('user', { id: others[index % 16]?.userId, lastName: `N${index}` }),
      (index) =>
        index < 48 ? api.del(`user/${others[16 + Math.floor(index / 6)]?.userId}`) : createUser(index),
    ];
    const replies = await Promise.all(
      range(96).map((index) => (operations[index % operations.length] ?? createUser)(index)),
    );
    expect(replies.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    await api.del(`user/group/${groups[0]}`);
    expect(await findWrongBlocks(db)).toEqual([]);
    const counts = (await as(app, admin).get<{ userCount: number }[]>('user/group?pageSize=1000')).body;
    const { rows } = await sql<{ n: number }>`select count(*) as n from group_member
      where site_id = ${siteId}`.execute(db);
    expect(counts.reduce((sum, { userCount }) => sum + userCount, 0)).toBe(rows[0]?.n);
    const { rows: dead } = await sql`select * from list_block where list = 2 and part = ${groups[0]}`.execute(
      db,
    );
    expect(dead).toEqual([]);
  });

  test('distant pages read no more rows than the first, with and without statistics', async () => {
    const { db } = context();
    const site = await makeSite(db);
    await sql`insert into account (email, email_key, first_name, last_name, home_site_id)
      select n || '@far.test', n || '@far.test', 'P', 'N', ${site} from generate_series(1, 30000) n`.execute(
      db,
    );
    await sql`insert into membership (site_id, user_id, license_type_id)
      select ${site}, user_id, 1 from account where home_site_id = ${site}`.execute(db);
    const buildPage = (offset: number) =>
      buildListPage({ siteId: site, list: MEMBERS_BY_LICENSE }, { offset, limit: 10 }, (firstId, most) => {
        return sql`select user_id from membership where site_id = ${site} and user_id >= ${firstId} order by user_id limit ${most}`;
      });
    const countRowsRead = async (offset: number) => {
      const { rows } = await sql<
        Record<string, object>
      >`explain (analyze, format json) ${buildPage(offset)}`.execute(db);
      const read = [...JSON.stringify(rows).matchAll(/"Actual Rows": ?([\d.]+)/g)].map(([, n]) => Number(n));
      return Math.max(...read);
    };
    for (const statistics of ['none', 'fresh']) {
      if (statistics === 'fresh') await sql`analyze membership, account, list_block`.execute(db);
      for (const offset of [0, 10, 15_000, 29_990])
        expect(await countRowsRead(offset)).toBeLessThanOrEqual(4096 + 10);
    }
  });
});
