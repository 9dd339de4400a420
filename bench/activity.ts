/** The activity report at five million rows: a page of each filter with its total, beside the bare page by its ids. */
import { Pool } from 'pg';
import { z } from 'zod';
import { ada } from '../e2e/support/people.ts';
import { newService } from '../e2e/support/service.ts';
import { fillActivity, ROWS } from './activity-fill.ts';
import { type Bench, type Measure, milliseconds, share } from './bench.ts';
import { chooseDatabase } from './database.ts';
import { type Call, signedInProgram } from './http.ts';

const DAY = 86_400_000;
const ROUNDS = 40;
const WARM_UP = 3;
/** What a page may take, its total included. */
const LIMIT = 100;

const Report = z.object({ totalRecords: z.number(), rows: z.array(z.object({ activityId: z.number() })) });

const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

function filters(people: readonly number[], program: number): [name: string, query: object][] {
  const period = { dateFrom: daysAgo(60), dateTo: daysAgo(3.5) };
  const many = people.filter((_, at) => at % 10 === 5);
  return [
    ['everything', {}],
    ['everything of a period', period],
    ['one type', { activity: 1 }],
    ['two types', { activities: [2, 5] }],
    ['the rarest type', { activity: 10 }],
    ['a kind of export', { activity: 8, exportDataType: 0 }],
    ['the rarest export', { activity: 8, exportDataType: 4 }],
    ['one source', { source: 4 }],
    ['by proxies', { onlyProxy: true }],
    ['one person', { userIds: people.slice(5000, 5001) }],
    ['a program with a fifth of all', { userIds: [program] }],
    ['  its rarest type', { userIds: [program], activity: 10 }],
    ['1,000 people', { userIds: many }],
    ['  in a period', { userIds: many, ...period }],
    ['  one type', { userIds: many, activity: 1 }],
    ['1,000 principals', { principalUserIds: people.slice(0, 1000) }],
    ['an address', { ipAddress: '203.0.113.3' }],
    ['a network /24', { ipAddress: '203.0.113.0/24' }],
    ['a network /8', { ipAddress: '10.0.0.0/8' }],
    ['  in a period', { ipAddress: '10.0.0.0/8', ...period }],
    ['  the rarest type', { ipAddress: '10.0.0.0/8', activity: 10 }],
    ['a network of IPv6 /32', { ipAddress: '2001:db8::/32' }],
    ['a program at an address', { userIds: [program], ipAddress: '203.0.113.1' }],
    ['1,000 people in a network', { userIds: many, ipAddress: '203.0.113.0/24' }],
  ];
}

/** Whose last pages are far away. */
const DEEP: readonly [name: string, query: object][] = [
  ['everything', {}],
  ['one type', { activity: 1 }],
  ['/24', { ipAddress: '203.0.113.0/24' }],
];

interface Asked {
  name: string;
  query: object;
  page: { number: number; size: number };
}

const FLOOR = `select a.*, u.email, u.first_name, u.last_name, p.email, p.first_name, p.last_name
  from activity a left join account u on u.user_id = a.user_id left join account p on p.user_id = a.principal_user_id
  where a.activity_id = any($1) order by a.at desc, a.activity_id desc`;

/** The page again and again, in turns with its rows by their ids, so that both see the same machine. */
async function measure(call: Call, pool: Pool, { name, query, page }: Asked): Promise<Measure[]> {
  const path = `/api/rest/v1/management/user/activity?pageNumber=${page.number}&pageSize=${page.size}`;
  const init = { method: 'POST', body: JSON.stringify(query) };
  const { rows } = Report.parse(await call(path, init));
  const ids = rows.map(({ activityId }) => activityId);
  const took: { ours: number; floor: number }[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
    const pair = {
      ours: await milliseconds(() => call(path, init)),
      floor: await milliseconds(() => pool.query(FLOOR, [ids])),
    };
    if (round >= 0) took.push(pair);
  }
  const of = (part: number, more: Partial<Measure>): Measure => ({
    name: `${name}, p${part * 100}`,
    ours: share(
      took.map(({ ours }) => ours),
      part,
    ),
    floor: share(
      took.map(({ floor }) => floor),
      part,
    ),
    unit: 'ms',
    ...more,
  });
  return [of(0.5, {}), of(0.95, { limit: LIMIT })];
}

export const activity: Bench = {
  name: `Activity, ${ROWS.toLocaleString('en')} rows`,
  async run() {
    await chooseDatabase('postgres');
    const service = await newService({ sample: true, administrator: ada });
    const pool = new Pool({ connectionString: service.place['DATABASE_URL'], max: 4 });
    try {
      const { people, program } = await fillActivity(pool);
      const call = await signedInProgram(service);
      const first = { number: 1, size: 50 };
      const deep = { number: Math.min(1000, Math.floor(ROWS / 5000)), size: 1000 };
      const asked = [
        ...filters(people, program).map(([name, query]) => ({ name, query, page: first })),
        ...DEEP.map(([name, query]) => ({ name: `${name}, page ${deep.number} of 1000`, query, page: deep })),
      ];
      const measures: Measure[] = [];
      for (const { name, query, page } of asked)
        // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
        measures.push(...(await measure(call, pool, { name, query, page })));
      return measures;
    } finally {
      await pool.end();
      await service.remove();
    }
  },
};
