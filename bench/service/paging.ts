/** Page 10,000 of the management lists compared with page 1: the ratio shows the cost of distant pages. */
import type { Pool } from 'pg';
import { type Measure, measureMs } from '../bench.ts';
import { insertPeople } from './people.ts';

/** Number of users, enough for page 10,000 with ten rows; STEWARD_BENCH_USERS changes it. */
const USERS = Number(process.env['STEWARD_BENCH_USERS'] ?? 100_000);
const PAGES = Math.floor(USERS / 10);
const ROUNDS = 60;
const WARM_UP = 5;
const MANAGEMENT = '/api/rest/v1/management';

/** Adds `USERS` users to the first site, all recently changed and in one new group, and as many groups. */
async function fillSite(pool: Pool): Promise<number> {
  await insertPeople(pool, USERS);
  await pool.query(
    `insert into user_group (site_id, name) select 1, 'Bench ' || n from generate_series(1, $1::int) n`,
    [USERS],
  );
  const { rows } = await pool.query<{ group_id: number }>(
    `insert into group_member (site_id, group_id, user_id)
     select 1, g.group_id, m.user_id from membership m, user_group g
     where m.site_id = 1 and g.site_id = 1 and g.name = 'Bench 1' returning group_id`,
  );
  await pool.query('vacuum analyze account, membership, user_group, group_member, list_block');
  return rows[0]?.group_id ?? 0;
}

// oxlint-disable-next-line unicorn/no-array-sort -- the array is not used afterwards
const getMedian = (times: number[]) => times.sort((first, second) => first - second)[ROUNDS / 2] ?? 0;

/** The medians of both, measured alternately so that both run under the same conditions. */
async function measurePair(first: () => Promise<unknown>, second: () => Promise<unknown>) {
  const durations: { ours: number; floor: number }[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const pair = { ours: await measureMs(first), floor: await measureMs(second) };
    if (round >= 0) durations.push(pair);
  }
  return {
    ours: getMedian(durations.map(({ ours }) => ours)),
    floor: getMedian(durations.map(({ floor }) => floor)),
    unit: 'ms',
  };
}

/** Fills the site and measures each list, and for comparison the same pages in SQL with OFFSET. */
export async function measurePaging(
  call: (path: string) => Promise<unknown>,
  pool: Pool,
): Promise<Measure[]> {
  const groupId = await fillSite(pool);
  const since = new Date(Date.now() - 24 * 3600_000).toISOString();
  const lists: [name: string, path: string][] = [
    ['users', 'user?'],
    ['members of a group', `user?userGroupId=${groupId}&`],
    ['users modified since', `user?modifiedSince=${since}&`],
    ['licenses', 'userLicenses?'],
    ['billable licenses', 'userLicenses?isBillable=true&'],
    ['groups', 'user/group?'],
  ];
  const measures: Measure[] = [];
  for (const [name, path] of lists) {
    const page = (pageNumber: number) => call(`${MANAGEMENT}/${path}pageSize=10&pageNumber=${pageNumber}`);
    const measured = await measurePair(
      () => page(PAGES),
      () => page(1),
    );
    measures.push({ name: `page ${PAGES} : 1 of ${name}`, ...measured });
  }
  const offset = (skip: number) =>
    pool.query(`select user_id from membership where site_id = 1 order by user_id limit 10 offset $1`, [
      skip,
    ]);
  const bySql = await measurePair(
    () => offset(USERS - 10),
    () => offset(0),
  );
  return [...measures, { name: `page ${PAGES} : 1 by OFFSET in SQL`, ...bySql }];
}
