/** The report beside a simple model: whatever is filtered, totals, pages and counts are those of a list in memory. */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { UserActivitySummary } from '../../../contract/generated/types.gen.ts';
import { drawQuery, drawRow, fitting, type Row, writeRows } from '../../testing/activity.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

interface Report {
  totalRecords: number;
  rows: { activityId: number }[];
}

const HOUR = 3600_000;
const DAY = 24 * HOUR;
const now = Date.now();

/** How many rows the ten most frequent have. */
const topOf = (items: (number | string | null)[]) =>
  [
    ...Map.groupBy(
      items.filter((item) => item !== null),
      (item) => item,
    ),
  ]
    .map(([, same]) => same.length)
    .toSorted((one, other) => other - one)
    .slice(0, 10);

onEachApp((house) => {
  let admin: Person;
  let people: number[] = [];
  let rows: Row[] = [];
  beforeAll(async () => {
    const { db } = house();
    admin = await makePerson(db, await makeSite(db));
    const others = [await makePerson(db, admin.siteId), await makePerson(db, admin.siteId)];
    people = [admin, ...others].map(({ userId }) => userId);
    const neighbour = await makeSite(db);
    const drawn = fc.sample(drawRow(people, now), { numRuns: 400, seed: 7 });
    rows = await writeRows(db, admin.siteId, drawn);
    // The same people somewhere else: none of it may ever be counted here.
    await writeRows(db, neighbour, drawn.slice(0, 100));
  });

  const ask = async (query: object, page = '') =>
    (await as(house().app, admin).post<Report>(`user/activity?${page}`, query)).body;

  test('every filter and combination, any page: the rows and the total of the model', async () => {
    await fc.assert(
      fc.asyncProperty(
        drawQuery(people, now),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(1, 3, 10, 100, 1000),
        async (query, pageNumber, pageSize) => {
          const expected = fitting(rows, query, now);
          const report = await ask(query, `pageNumber=${pageNumber}&pageSize=${pageSize}`);
          expect(report.totalRecords).toBe(expected.length);
          const page = expected.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
          expect(report.rows.map(({ activityId }) => activityId)).toEqual(page.map(({ id }) => id));
        },
      ),
      { numRuns: 250 },
    );
  });

  test('the counts of any filter and any period are those of the model, in hours or days', async () => {
    await fc.assert(
      fc.asyncProperty(
        drawQuery(people, now),
        fc.option(fc.integer({ min: 1, max: DAY })),
        async (drawn, ms) => {
          // Counts are told of less than a day as well.
          const { dateFrom: from } = drawn;
          const short = ms !== null && from !== undefined;
          const query = short ? { ...drawn, dateTo: new Date(Date.parse(from) + ms).toISOString() } : drawn;
          const expected = fitting(rows, query, now);
          const { body } = await as(house().app, admin).post<UserActivitySummary>(
            'user/activity/summary',
            query,
          );
          const width = body.bucket === 'hour' ? HOUR : DAY;
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
            topOf(expected.map(({ userId }) => userId)),
          );
          expect(body.topAddresses.map(({ count }) => count)).toEqual(topOf(expected.map(({ ip }) => ip)));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('page after page while others write: nothing twice, nothing left out, up to a moment that was named', async () => {
    const { db } = house();
    const dateTo = new Date(Date.now() + 1).toISOString();
    const query = { dateFrom: new Date(now - 60 * DAY).toISOString(), dateTo };
    const expected = fitting(rows, query, now).map(({ id }) => id);
    const seen: number[] = [];
    for (let pageNumber = 1; seen.length < expected.length; pageNumber += 1) {
      const later = {
        userId: admin.userId,
        type: 1,
        source: 1,
        ip: '::1',
        principalId: null,
        exportKind: null,
      };
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      rows.push(...(await writeRows(db, admin.siteId, [{ ...later, at: Date.parse(dateTo) + pageNumber }])));
      // oxlint-disable-next-line no-await-in-loop
      const report = await ask(query, `pageSize=7&pageNumber=${pageNumber}`);
      expect(report.rows.length).toBeGreaterThan(0);
      seen.push(...report.rows.map(({ activityId }) => activityId));
    }
    expect(seen).toEqual(expected);
  });

  const cells = {
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
  const kept = {
    activity_hour: sql`select site_id, hour as bucket, kind, '' as part, n from activity_hour`,
    activity_person: sql`select site_id, begins, kind, role || ' ' || user_id, n from activity_person`,
    activity_from: sql`select site_id, week, kind, address::text, n from activity_from`,
    activity_network: sql`select site_id, day, kind, network::text, n from activity_network`,
  };

  test('the counts are those of the rows after inserts, changes, deletions and rollbacks, and none is empty', async () => {
    const { db } = house();
    const drawn = fc.sample(drawRow(people, now), { numRuns: 120, seed: 11 });
    const more = await writeRows(db, admin.siteId, drawn);
    await sql`update activity set at = at - interval '26 hours', user_id = ${people[1]}, principal_user_id = null
      where activity_id = any(${more.slice(0, 40).map(({ id }) => id)}::bigint[])`.execute(db);
    await sql`delete from activity where activity_id = any(${more.slice(20, 90).map(({ id }) => id)}::bigint[])`.execute(
      db,
    );
    await expect(
      db.transaction().execute(async (tx) => {
        await writeRows(tx, admin.siteId, drawn);
        await sql`delete from activity where user_id = ${people[0]}`.execute(tx);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await Promise.all([drawn, drawn, drawn].map((again) => writeRows(db, admin.siteId, again)));
    for (const name of Object.keys(cells) as (keyof typeof cells)[]) {
      // oxlint-disable-next-line no-await-in-loop -- told by table
      const { rows: wrong } = await sql`
        select coalesce(c.n, 0) as counted, coalesce(k.n, 0) as kept
        from (select site_id, bucket, kind, part, count(*) as n from (${cells[name]}) r (site_id, bucket, kind, part) group by 1, 2, 3, 4) c
        full join (${kept[name]}) k (site_id, bucket, kind, part, n) using (site_id, bucket, kind, part)
        where c.n is distinct from k.n`.execute(db);
      expect([name, wrong]).toEqual([name, []]);
    }
  });
});
