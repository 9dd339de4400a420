/** Compares the report with a model in memory: totals, pages and counts must agree for any filter. */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { UserActivitySummary } from '../../../contract/generated/types.gen.ts';
import {
  arbitraryQuery,
  arbitraryRow,
  filterRows,
  type ActivityRow,
  insertRows,
} from '../../testing/activity.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { parseFilter } from './filter.ts';
import { readSummary } from './summary.store.ts';

interface Report {
  totalRecords: number;
  rows: { activityId: number }[];
}

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const now = Date.now();

/** Row counts of the ten most frequent items. */
const countTopTen = (items: (number | string | null)[]) =>
  [
    ...Map.groupBy(
      items.filter((item) => item !== null),
      (item) => item,
    ),
  ]
    .map(([, same]) => same.length)
    .toSorted((one, other) => other - one)
    .slice(0, 10);

onEachApp((context) => {
  let admin: Person;
  let userIds: number[] = [];
  let rows: ActivityRow[] = [];
  beforeAll(async () => {
    const { db } = context();
    admin = await makePerson(db, await makeSite(db));
    const others = [await makePerson(db, admin.siteId), await makePerson(db, admin.siteId)];
    userIds = [admin, ...others].map(({ userId }) => userId);
    const neighbour = await makeSite(db);
    const sampledRows = fc.sample(arbitraryRow(userIds, now), { numRuns: 400, seed: 7 });
    rows = await insertRows(db, admin.siteId, sampledRows);
    // The same users on another site: none of these rows may be counted.
    await insertRows(db, neighbour, sampledRows.slice(0, 100));
  });

  const queryReport = async (query: object, page = '') =>
    (await as(context().app, admin).post<Report>(`user/activity?${page}`, query)).body;

  test('returns the rows and total of the model for any filter and page', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryQuery(userIds, now),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(1, 3, 10, 100, 1000),
        async (query, pageNumber, pageSize) => {
          const expected = filterRows(rows, query, now);
          const report = await queryReport(query, `pageNumber=${pageNumber}&pageSize=${pageSize}`);
          expect(report.totalRecords).toBe(expected.length);
          const page = expected.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
          expect(report.rows.map(({ activityId }) => activityId)).toEqual(page.map(({ id }) => id));
        },
      ),
      { numRuns: 250 },
    );
  });

  test('returns the counts of the model for any filter and period, by hour or day', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryQuery(userIds, now),
        fc.option(fc.integer({ min: 1, max: DAY_MS })),
        async (arbitraryFilter, ms) => {
          // The summary also accepts periods shorter than a day.
          const { dateFrom: from } = arbitraryFilter;
          const short = ms !== null && from !== undefined;
          const query = short
            ? { ...arbitraryFilter, dateTo: new Date(Date.parse(from) + ms).toISOString() }
            : arbitraryFilter;
          const expected = filterRows(rows, query, now);
          const { body } = await as(context().app, admin).post<UserActivitySummary>(
            'user/activity/summary',
            query,
          );
          const width = body.bucket === 'hour' ? HOUR_MS : DAY_MS;
          const cells = Map.groupBy(expected, ({ at, type }) => `${Math.floor(at / width)} ${type}`);
          expect(body.totalRecords).toBe(expected.length);
          expect(
            Object.fromEntries(
              body.counts.map(({ date, activityTypeId, count }) => [
                `${Date.parse(date) / width} ${activityTypeId}`,
                count,
              ]),
            ),
          ).toEqual(Object.fromEntries([...cells].map(([key, same]) => [key, same.length])));
          expect(body.topUsers.map(({ count }) => count)).toEqual(
            countTopTen(expected.map(({ userId }) => userId)),
          );
          expect(body.topAddresses.map(({ count }) => count)).toEqual(
            countTopTen(expected.map(({ ip }) => ip)),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test('finds the users and addresses with the most rows, however few of their counts are searched', async () => {
    const { db } = context();
    const siteId = await makeSite(db);
    const members: number[] = [];
    for (let at = 0; at < 40; at += 1) members.push((await makePerson(db, siteId)).userId);
    const firstId = members[0] ?? 0;
    const sampledRows = fc.sample(arbitraryRow(members, now), { numRuns: 1_500, seed: 13 });
    // The first ones have many more rows than the last ones; each has an address, and some have the same.
    const skewed = sampledRows.map((row, at) => {
      const userId = members[Math.floor(40 * (at / sampledRows.length) ** 3)] ?? firstId;
      return { ...row, userId, ip: `10.0.${(userId - firstId) % 30}.1` };
    });
    const stored = await insertRows(db, siteId, skewed);
    const queries = fc.sample(arbitraryQuery(members, now), { numRuns: 60, seed: 17 });
    for (const { userIds: _, principalUserIds: __, ipAddress: ___, ...query } of [{}, ...queries]) {
      const expected = filterRows(stored, query, now);
      const filter = parseFilter(query, { now });
      for (const depths of [[], [1], [2, 4], [50]]) {
        const read = (searched: readonly number[]) =>
          db.transaction().execute((tx) => readSummary(tx, siteId, filter, 'day', searched));
        const { users, addresses } = await read(depths);
        expect(users.map(({ count }) => count)).toEqual(countTopTen(expected.map(({ userId }) => userId)));
        expect(addresses.map(({ count }) => count)).toEqual(countTopTen(expected.map(({ ip }) => ip)));
      }
    }
  });

  test('pages up to a fixed end neither repeat nor skip rows while others write', async () => {
    const { db } = context();
    const dateTo = new Date(Date.now() + 1).toISOString();
    const query = { dateFrom: new Date(now - 60 * DAY_MS).toISOString(), dateTo };
    const expected = filterRows(rows, query, now).map(({ id }) => id);
    const seen: number[] = [];
    for (let pageNumber = 1; seen.length < expected.length; pageNumber += 1) {
      const laterRow = {
        userId: admin.userId,
        type: 1,
        source: 1,
        ip: '::1',
        principalId: null,
        exportKind: null,
      };
      rows.push(
        ...(await insertRows(db, admin.siteId, [{ ...laterRow, at: Date.parse(dateTo) + pageNumber }])),
      );
      const report = await queryReport(query, `pageSize=7&pageNumber=${pageNumber}`);
      expect(report.rows.length).toBeGreaterThan(0);
      seen.push(...report.rows.map(({ activityId }) => activityId));
    }
    expect(seen).toEqual(expected);
  });

  const expectedCells = {
    activity_hour: sql`select site_id, date_bin('1 hour', at, '2000-01-03Z') as bucket, kind, '' as part from activity`,
    activity_person: sql`select site_id, b, k, role || ' ' || who from activity,
      lateral (values (1, user_id), (2, principal_user_id)) as p (role, who),
      lateral (values (kind, date_bin('7 days', at, '2000-01-03Z')), (-1, date_bin('1 day', at, '2000-01-03Z'))) as v (k, b)
      where who is not null`,
    activity_from: sql`select site_id, date_bin('7 days', at, '2000-01-03Z'), kind, ip_address::text from activity
      where ip_address is not null`,
    activity_network: sql`select site_id, date_bin('1 day', at, '2000-01-03Z'), kind,
      network(set_masklen(ip_address, case family(ip_address) when 4 then 16 else 32 end))::text from activity
      where ip_address is not null`,
  };
  const storedCells = {
    activity_hour: sql`select site_id, hour as bucket, kind, '' as part, n from activity_hour`,
    activity_person: sql`select site_id, begins, kind, role || ' ' || user_id, n from activity_person`,
    activity_from: sql`select site_id, week, kind, address::text, n from activity_from`,
    activity_network: sql`select site_id, day, kind, network::text, n from activity_network`,
  };

  test('stored counts equal the rows after inserts, updates, deletions and rollbacks, and none is zero', async () => {
    const { db } = context();
    const sampledRows = fc.sample(arbitraryRow(userIds, now), { numRuns: 120, seed: 11 });
    const more = await insertRows(db, admin.siteId, sampledRows);
    await sql`update activity set at = at - interval '26 hours', user_id = ${userIds[1]}, principal_user_id = null
      where activity_id = any(${more.slice(0, 40).map(({ id }) => id)}::bigint[])`.execute(db);
    await sql`delete from activity where activity_id = any(${more.slice(20, 90).map(({ id }) => id)}::bigint[])`.execute(
      db,
    );
    await expect(
      db.transaction().execute(async (tx) => {
        await insertRows(tx, admin.siteId, sampledRows);
        await sql`delete from activity where user_id = ${userIds[0]}`.execute(tx);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await Promise.all(
      [sampledRows, sampledRows, sampledRows].map((duplicateRows) =>
        insertRows(db, admin.siteId, duplicateRows),
      ),
    );
    for (const name of Object.keys(expectedCells) as (keyof typeof expectedCells)[]) {
      // Reported by table.
      const { rows: wrong } = await sql`
        select coalesce(c.n, 0) as counted, coalesce(k.n, 0) as kept
        from (select site_id, bucket, kind, part, count(*) as n from (${expectedCells[name]}) r (site_id, bucket, kind, part) group by 1, 2, 3, 4) c
        full join (${storedCells[name]}) k (site_id, bucket, kind, part, n) using (site_id, bucket, kind, part)
        where c.n is distinct from k.n`.execute(db);
      expect([name, wrong]).toEqual([name, []]);
    }
  });
});
