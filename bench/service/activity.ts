/** The activity report with five million rows: a page and total for each filter, compared with selecting the rows by id. */
import { Pool } from 'pg';
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { startService } from '../../e2e/support/service.ts';
import { type Bench, type Measure, measureMs, toPercentiles } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { type Call, createProgram } from './http.ts';
import { insertInBatches, insertPeople } from './people.ts';

/** Number of rows; STEWARD_BENCH_ACTIVITY changes it. */
const ROWS = Number(process.env['STEWARD_BENCH_ACTIVITY'] ?? 5_000_000);
const PEOPLE = 10_000;

/**
 * Fills the activity report of the first site with rows of new people. A fifth of the rows belongs to one program; the most active users have a hundred times as many
 * as the least active. Forty percent come from twenty office addresses, thirty from IPv6 addresses, the rest from a wide network. The
 * share of a type is between forty percent and one in ten thousand.
 */
export async function fillActivity(
  pool: Pool,
  { rows, personCount }: { rows: number; personCount: number },
): Promise<{ people: number[]; program: number }> {
  await pool.query('delete from activity where site_id = 1');
  const people = await insertPeople(pool, personCount);
  const [program = 0] = people;
  // In the order of time.
  await insertInBatches(
    pool,
    rows,
    `insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id,
       principal_user_id, export_data_type)
     select 1, now() - interval '89.9 days' * (1 - n / $3::float8), $4::int + person, type, source,
       (case when n % 10 < 4 then '203.0.113.' || (person % 20 + 1)
             when n % 10 < 7 then '2001:db8:' || to_hex(person % 5000 + 4096) || '::' || to_hex(person % 65536)
             else '10.' || person % 200 || '.' || (person * 7) % 250 || '.' || (n / 10 + person) % 250 end)::inet,
       gen_random_uuid(), case when n % 40 = 7 then $4::int + (person * 31) % 3000 end,
       case when type = 8 then least(4, floor(5 * a * b))::smallint end
     from (select n, a, b, case when who < 0.2 then 0 else 1 + floor($5::int * b * b)::int end as person,
         case when k < 0.40 then 1 when k < 0.52 then 2 when k < 0.64 then 3 when k < 0.90 then 4 when k < 0.91 then 5
              when k < 0.93 then 6 when k < 0.931 then 7 when k < 0.99 then 8 when k < 0.9999 then 9 else 10 end as type,
         case when who < 0.2 then 3 when s < 0.8 then 1 when s < 0.93 then 2 when s < 0.99 then 3 else 4 end as source
       from (select n, random() as a, random() as b, random() as k, random() as s, random() as who
         from generate_series($1::int, $2::int) n) drawn) row`,
    [program, personCount - 2],
  );
  await pool.query(
    'vacuum analyze activity, activity_hour, activity_person, activity_from, activity_network, account, membership, list_block',
  );
  return { people, program };
}

const DAY = 86_400_000;
const ROUNDS = 40;
const WARM_UP = 3;
/** Highest allowed duration of a page including its total. */
const MAX_PAGE_MS = 100;

const Report = z.object({ totalRecords: z.number(), rows: z.array(z.object({ activityId: z.number() })) });

const formatDaysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

function listFilters(people: readonly number[], program: number): [name: string, query: object][] {
  const period = { dateFrom: formatDaysAgo(60), dateTo: formatDaysAgo(3.5) };
  const many = people.filter((_, at) => at % 10 === 5);
  return [
    ['no filter', {}],
    ['a period', period],
    ['one type', { activity: 1 }],
    ['two types', { activities: [2, 5] }],
    ['rarest type', { activity: 10 }],
    ['one kind of export', { activity: 8, exportDataType: 0 }],
    ['rarest export', { activity: 8, exportDataType: 4 }],
    ['one source', { source: 4 }],
    ['by proxies', { onlyProxy: true }],
    ['one person', { userIds: people.slice(5000, 5001) }],
    ['a program with 20% of the rows', { userIds: [program] }],
    ['a program with 20% of the rows, rarest type', { userIds: [program], activity: 10 }],
    ['1,000 people', { userIds: many }],
    ['1,000 people, a period', { userIds: many, ...period }],
    ['1,000 people, one type', { userIds: many, activity: 1 }],
    ['1,000 principals', { principalUserIds: people.slice(0, 1000) }],
    ['an address', { ipAddress: '203.0.113.3' }],
    ['a network /24', { ipAddress: '203.0.113.0/24' }],
    ['a network /8', { ipAddress: '10.0.0.0/8' }],
    ['a network /8, a period', { ipAddress: '10.0.0.0/8', ...period }],
    ['a network /8, rarest type', { ipAddress: '10.0.0.0/8', activity: 10 }],
    ['an IPv6 network /32', { ipAddress: '2001:db8::/32' }],
    ['a program at an address', { userIds: [program], ipAddress: '203.0.113.1' }],
    ['1,000 people in a network', { userIds: many, ipAddress: '203.0.113.0/24' }],
  ];
}

/** Filters for which a distant page is measured. */
const DEEP_PAGE_FILTERS: readonly [name: string, query: object][] = [
  ['no filter', {}],
  ['one type', { activity: 1 }],
  ['a network /24', { ipAddress: '203.0.113.0/24' }],
];

interface PageQuery {
  name: string;
  query: object;
  page: { number: number; size: number };
}

const FLOOR_STATEMENT = `select a.*, u.email, u.first_name, u.last_name, p.email, p.first_name, p.last_name
  from activity a left join account u on u.user_id = a.user_id left join account p on p.user_id = a.principal_user_id
  where a.activity_id = any($1) order by a.at desc, a.activity_id desc`;

/** Measures the page alternately with selecting its rows by id, so that both run under the same conditions. */
async function measurePage(call: Call, pool: Pool, { name, query, page }: PageQuery): Promise<Measure[]> {
  const path = `/api/rest/v1/management/user/activity?pageNumber=${page.number}&pageSize=${page.size}`;
  const init = { method: 'POST', body: JSON.stringify(query) };
  const { rows } = Report.parse(await call(path, init));
  const ids = rows.map(({ activityId }) => activityId);
  const durations = { ours: [] as number[], floor: [] as number[] };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const ours = await measureMs(() => call(path, init));
    const floor = await measureMs(() => pool.query(FLOOR_STATEMENT, [ids]));
    if (round < 0) continue;
    durations.ours.push(ours);
    durations.floor.push(floor);
  }
  return toPercentiles(name, durations, MAX_PAGE_MS);
}

export const activity: Bench = {
  name: `Activity, ${ROWS.toLocaleString('en')} rows`,
  async run() {
    await chooseDatabase('postgres');
    const service = await startService({ sample: true, administrator: ada });
    const pool = new Pool({ connectionString: service.storageEnv['DATABASE_URL'], max: 4 });
    try {
      const { people, program } = await fillActivity(pool, { rows: ROWS, personCount: PEOPLE });
      const call = await createProgram(service);
      const first = { number: 1, size: 50 };
      const deep = { number: Math.min(1000, Math.floor(ROWS / 5000)), size: 1000 };
      const queries = [
        ...listFilters(people, program).map(([name, query]) => ({ name, query, page: first })),
        ...DEEP_PAGE_FILTERS.map(([name, query]) => ({
          name: `${name}, page ${deep.number} of 1000`,
          query,
          page: deep,
        })),
      ];
      const measures: Measure[] = [];
      for (const { name, query, page } of queries)
        measures.push(...(await measurePage(call, pool, { name, query, page })));
      return measures;
    } finally {
      await pool.end();
      await service.remove();
    }
  },
};
