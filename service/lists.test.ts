/** The pages of the management lists, over ids with gaps and while others write. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Db } from './kernel/db/database.ts';
import { listPage, MEMBERS_BY_LICENSE } from './kernel/db/list-page.ts';
import { up as listBlocks } from './kernel/db/migrations/0002_list_blocks.ts';
import type { Calls } from './testing/calls.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from './testing/site.ts';

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Blocks whose count is not what a count of the rows themselves says. */
async function wrongBlocks(db: Db): Promise<object[]> {
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

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let api: Calls;
  beforeAll(async () => {
    siteId = await makeSite(house().db);
    admin = await makePerson(house().db, siteId);
    api = as(house().app, admin);
  });

  describe('over ids with gaps, across the blocks that count them', () => {
    let groupId = 0;
    let people: { id: number; type: number; inGroup: boolean }[] = [];
    beforeAll(async () => {
      const { db } = house();
      groupId = await makeGroup(db, siteId);
      // On the edges of blocks, alone in far ones, and many in one.
      const near = times(40).map((at) => 5_000_000 + at * 611);
      const edges = times(6).flatMap((at) => [6_000_640 + at * 4096 - 1, 6_000_640 + at * 4096]);
      const far = times(8).map((at) => 50_000_000 + at * 300_000_007);
      const ids = [...near, ...edges, ...far.filter((id) => id < 2 ** 31)];
      people = ids.map((id, at) => ({ id, type: 1 + (at % 4), inGroup: at % 3 > 0 }));
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

    const idsOf = (isWanted: (person: { type: number; inGroup: boolean }) => boolean) =>
      [{ id: admin.userId, type: 1, inGroup: false }, ...people].filter(isWanted).map(({ id }) => id);

    async function pagesOf(path: string, pageSize: number): Promise<(number | undefined)[]> {
      const pages: { id?: number; userId?: number }[][] = [];
      do {
        const query = `pageSize=${pageSize}&pageNumber=${pages.length + 1}`;
        pages.push((await api.get<typeof people>(`${path}${path.includes('?') ? '&' : '?'}${query}`)).body);
      } while (pages.at(-1)?.length === pageSize);
      return pages.flat().map(({ id, userId }) => id ?? userId);
    }

    test.each([1, 7, 1000])('pages of %d are disjoint, complete and in order', async (size) => {
      expect(await pagesOf('user', size)).toEqual(idsOf(() => true));
      expect(await pagesOf(`user?userGroupId=${groupId}`, size)).toEqual(idsOf(({ inGroup }) => inGroup));
      expect(await pagesOf('userLicenses', size)).toEqual(idsOf(() => true));
      expect(await pagesOf('userLicenses?isBillable=true', size)).toEqual(idsOf(({ type }) => type < 3));
      expect(await pagesOf('userLicenses?isBillable=false', size)).toEqual(idsOf(({ type }) => type > 2));
      expect(
        await pagesOf(`user?modifiedSince=${new Date(Date.now() - 86_400_000).toISOString()}`, size),
      ).toEqual(idsOf(() => true));
      expect(await pagesOf('user/group', size)).toEqual([admin.groupId, groupId]);
    });

    test('counts made anew for what was there before are the same', async () => {
      const { db } = house();
      const blocks = async () =>
        (await sql`select * from list_block where n <> 0 order by 1, 2, 3, 4`.execute(db)).rows;
      const before = await blocks();
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
      expect(await blocks()).toEqual(before);
      expect(before.length).toBeGreaterThan(60);
    });
  });

  test('counts stay exact while many write at once, and nobody waits for ever', async () => {
    const { db, app } = house();
    const groups = await Promise.all(times(4).map(() => makeGroup(db, siteId)));
    const others = await Promise.all(times(24).map(() => makePerson(db, siteId, { capabilities: [] })));
    const group = (at: number) => groups[at % groups.length];
    const create = (at: number) =>
      api.post<number>('user', {
        email: `${crypto.randomUUID()}@people.test`,
        firstName: 'New',
        lastName: `${at}`,
        isActive: false,
        groups: [group(at), group(at + 1)],
      });
    const deeds: ((at: number) => Promise<{ status: number }>)[] = [
      create,
      (at) => api.put('userLicense', { userId: others[at % 8]?.userId, licenseTypeId: 1 + (at % 3) }),
      (at) => api.put('user/group', [{ userIds: [others[(at * 7) % 16]?.userId], groupIds: [group(at)] }]),
      (at) => api.del('user/group', [{ userIds: [others[(at * 5) % 16]?.userId], groupIds: [group(at)] }]),
      (at) => api.put('user', { id: others[at % 16]?.userId, lastName: `N${at}` }),
      (at) => (at < 48 ? api.del(`user/${others[16 + Math.floor(at / 6)]?.userId}`) : create(at)),
    ];
    const replies = await Promise.all(times(96).map((at) => (deeds[at % deeds.length] ?? create)(at)));
    expect(replies.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    await api.del(`user/group/${groups[0]}`);
    expect(await wrongBlocks(db)).toEqual([]);
    const counts = (await as(app, admin).get<{ userCount: number }[]>('user/group?pageSize=1000')).body;
    const { rows } = await sql<{ n: number }>`select count(*) as n from group_member
      where site_id = ${siteId}`.execute(db);
    expect(counts.reduce((sum, { userCount }) => sum + userCount, 0)).toBe(rows[0]?.n);
    const { rows: dead } = await sql`select * from list_block where list = 2 and part = ${groups[0]}`.execute(
      db,
    );
    expect(dead).toEqual([]);
  });

  test('a page reads no more entries for standing further back, whatever the statistics say', async () => {
    const { db } = house();
    const site = await makeSite(db);
    await sql`insert into account (email, email_key, first_name, last_name, home_site_id)
      select n || '@far.test', n || '@far.test', 'P', 'N', ${site} from generate_series(1, 30000) n`.execute(
      db,
    );
    await sql`insert into membership (site_id, user_id, license_type_id)
      select ${site}, user_id, 1 from account where home_site_id = ${site}`.execute(db);
    const page = (offset: number) =>
      listPage({ siteId: site, list: MEMBERS_BY_LICENSE }, { offset, limit: 10 }, (firstId, most) => {
        return sql`select user_id from membership where site_id = ${site} and user_id >= ${firstId} order by user_id limit ${most}`;
      });
    const mostRead = async (offset: number) => {
      const { rows } = await sql<
        Record<string, object>
      >`explain (analyze, format json) ${page(offset)}`.execute(db);
      const read = [...JSON.stringify(rows).matchAll(/"Actual Rows": ?([\d.]+)/g)].map(([, n]) => Number(n));
      return Math.max(...read);
    };
    for (const statistics of ['none', 'fresh']) {
      if (statistics === 'fresh') await sql`analyze membership, account, list_block`.execute(db);
      for (const offset of [0, 10, 15_000, 29_990])
        expect(await mostRead(offset)).toBeLessThanOrEqual(4096 + 10);
    }
  });
});
