/** Reports that count or list over all people of a site, with millions of rows of activity and audit; four callers. */
import { Pool } from 'pg';
import { ada } from '../../e2e/support/data/people.ts';
import { startService } from '../../e2e/support/service.ts';
import { type Bench, type Measure, measureMs, toPercentiles } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { fillActivity } from './activity.ts';
import { type Call, createProgram } from './http.ts';
import { insertInBatches } from './people.ts';

const PEOPLE = 100_000;
const ROWS = 5_000_000;
const CALLERS = 4;
/** Calls of each caller. */
const ROUNDS = 25;
const WARM_UP = 3;
const MAX_MS = 100;
const DAY = 86_400_000;
const MANAGEMENT = '/api/rest/v1/management';

/**
 * Fills the audit log of the first site with changes of seven years: a hundredth change the configuration, as many the license. Half of the
 * changes happened in the last 180 days. Sets the last change and activity of the people as the logs have them.
 */
async function fillAuditLog(pool: Pool, people: readonly number[]): Promise<void> {
  await insertInBatches(
    pool,
    ROWS,
    `insert into audit_log (site_id, at, actor_id, action, subject_type, subject_id, configuration_kind, request_id, changes)
     select 1, now() - case when n <= $3::int / 2 then interval '180 days' + interval '2370 days' * (1 - 2.0 * n / $3)
           else interval '180 days' * 2 * (1 - n / $3::float8) end,
       $4::int, case when n % 100 = 7 then 'group.update' else 'user.update' end,
       case when n % 100 = 7 then 'group' else 'user' end,
       case when n % 100 = 7 then n % 500 else $4::int + (n * 31) % $5::int end,
       case when n % 100 = 7 then 'group' end, 'bench',
       case when n % 100 = 9 then '{"licenseTypeId": [1, 2]}' else '{"lastName": ["Okafor", "Lind"]}' end::jsonb
     from generate_series($1::int, $2::int) n`,
    [people[0], people.length],
  );
  await pool.query(
    `update membership m set modified_at = now() - interval '179 days' * (user_id % 1000) / 1000,
       last_active_at = case when user_id % 7 > 0 then now() - interval '120 days' * (user_id % 997) / 997 end,
       created_at = now() - interval '200 days' where site_id = 1`,
  );
  await pool.query('vacuum analyze audit_log, seat_change, membership');
}

const formatDaysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

function listReports(people: readonly number[]): [name: string, path: string, query?: object][] {
  const summary = '/user/activity/summary';
  const since = formatDaysAgo(179.9);
  return [
    ['users changed in 180 days, first page', `/user?pageSize=1000&pageNumber=1&modifiedSince=${since}`],
    ['users changed in 180 days, last page', `/user?pageSize=1000&pageNumber=100&modifiedSince=${since}`],
    ['summary of activity', summary, {}],
    ['summary of activity, 60 days', summary, { dateFrom: formatDaysAgo(62.3), dateTo: formatDaysAgo(2.3) }],
    ['summary of activity, 7 days', summary, { dateFrom: formatDaysAgo(6.9) }],
    ['summary of activity, one type', summary, { activity: 1 }],
    ['summary of activity, by proxies', summary, { onlyProxy: true }],
    ['summary of activity, one user', summary, { userIds: people.slice(5000, 5001) }],
    ['summary of activity, an address', summary, { ipAddress: '203.0.113.3' }],
    ['seats of a year', '/userLicenses/seats'],
    ['unused licenses, first page', '/userLicenses/unused?days=30&pageSize=100&pageNumber=1'],
    ['unused licenses, last page', '/userLicenses/unused?days=30&pageSize=100&pageNumber=600'],
    ['configuration log', '/configuration/changes'],
    ['changes of a user', `/user/${people[5000] ?? 0}/changes?pageSize=50&pageNumber=1`],
  ];
}

/** Durations of the calls of four callers at once. */
async function measureCalls(call: () => Promise<unknown>): Promise<number[]> {
  for (let round = 0; round < WARM_UP; round += 1) await call();
  const durations: number[] = [];
  const runCaller = async () => {
    for (let round = 0; round < ROUNDS; round += 1) durations.push(await measureMs(call));
  };
  await Promise.all(Array.from({ length: CALLERS }, runCaller));
  return durations;
}

async function measureReport(
  call: Call,
  userPath: string,
  [name, path, query]: ReturnType<typeof listReports>[number],
): Promise<Measure[]> {
  const init = query && { method: 'POST', body: JSON.stringify(query) };
  const ours = await measureCalls(() => call(MANAGEMENT + path, init));
  const floor = await measureCalls(() => call(userPath));
  return toPercentiles(name, { ours, floor }, MAX_MS);
}

export const peopleReports: Bench = {
  name: 'People reports',
  peerName: 'one user',
  async run() {
    await chooseDatabase('postgres');
    const service = await startService({ sample: true, administrator: ada });
    const pool = new Pool({ connectionString: service.storageEnv['DATABASE_URL'], max: 4 });
    try {
      const { people } = await fillActivity(pool, { rows: ROWS, personCount: PEOPLE });
      await fillAuditLog(pool, people);
      const call = await createProgram(service);
      const measures: Measure[] = [];
      for (const report of listReports(people))
        measures.push(...(await measureReport(call, `${MANAGEMENT}/user/${people[0] ?? 0}`, report)));
      return measures;
    } finally {
      await pool.end();
      await service.remove();
    }
  },
};
