/** A job that deactivates many people, compared with bare SQL that writes the same rows, and other requests meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { startService, type Service } from '../../e2e/support/service.ts';
import { openDatabase, type Database, type Db } from '../../service/kernel/db/database.ts';
import { type Bench, type Measure, measureMs, percentile } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { measureProcessorTime } from '../processor-time.ts';
import { type Call, createProgram } from './http.ts';

const MANAGEMENT = '/api/rest/v1/management';
const PEOPLE = 100_000;
const PER_STATEMENT = 1_000;
const POLL_MS = 200;
/** Time for which other requests are measured before the job starts. */
const BEFORE_MS = 5_000;
/** Pause between two requests of a client, so that the clients themselves do not load the service. */
const REQUEST_PAUSE_MS = 10;
const MAX_RATIO = 3;
const MIN_PEOPLE_PER_SECOND = { postgres: 1_500, embedded: 300 };
const MAX_RISE_MS = 30;
const MAX_LOOP_GAP_MS = 100;

/** Adds active users to the first site and returns their ids. */
async function addUsers(db: Db, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with added as (
      insert into account (email, email_key, first_name, last_name, home_site_id)
      select key, key, 'P' || n, 'Bench', 1
      from generate_series(1, ${count}::int) n, lateral (select n || '@' || gen_random_uuid() as key) made
      returning user_id)
    insert into membership (site_id, user_id, license_type_id) select 1, user_id, 1 from added
    returning user_id as id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deactivates a thousand users with one statement that writes their rows, audit rows and events. */
const deactivateInSql = (db: Db, userIds: readonly number[]) =>
  sql`
  with changed as (
    update membership set is_active = false, version = version + 1, modified_at = clock_timestamp(), modified_by = 1
    where site_id = 1 and user_id = any(${[...userIds]}::int[]) returning user_id, version, modified_at, license_type_id),
  audited as (
    insert into audit_log (site_id, at, actor_id, action, subject_type, subject_id, ip, request_id, changes)
    select 1, clock_timestamp(), 1, 'user.update', 'user', user_id::text, '127.0.0.1', 'bench', '{"isActive": [true, false]}'
    from changed),
  counted as (
    insert into topic (site_id, name, next) values (1, 'default-users', ${userIds.length})
    on conflict (site_id, name) do update set next = topic.next + ${userIds.length}
    returning topic_id, next - ${userIds.length} as first)
  insert into topic_event (site_id, topic_id, off, payload)
  select 1, topic_id, first + row_number() over () - 1, jsonb_build_object('eventId', gen_random_uuid(), 'modifiedAt', changed.modified_at,
    'schemaVersion', 1, 'entityType', 'Users', 'entityFormatType', 'None', 'modifiedById', 1, 'modifiedByUserEmail', a.email,
    'isCalculated', false, 'payload', jsonb_build_object('entities', jsonb_build_object('updated', jsonb_build_array(
      jsonb_build_object('id', user_id, 'email', a.email, 'firstName', a.first_name, 'lastName', a.last_name, 'isActive', false,
        'isLocked', false, 'groups', '[]'::jsonb, 'createdDate', changed.modified_at, 'modifiedDate', changed.modified_at, 'createdBy', null,
        'modifiedBy', 1, 'federationId', null, 'twoFactorEnabled', false, 'secondFactorSetUp', false,
        'ipRestrictionsEnabled', false, 'userEntryId', null, 'timeZone', null, 'licenseTypeId', license_type_id)))))
  from changed join account a using (user_id), counted`.execute(db);

/** Opens the database of a service, which must be stopped if it is the embedded one. */
function openStorage(service: Service): Promise<Database> {
  const { DATABASE_URL, DATA_DIR = '' } = service.storageEnv;
  return openDatabase({ databaseUrl: DATABASE_URL === '' ? undefined : DATABASE_URL, dataDir: DATA_DIR });
}

/** Adds the users of the job, deactivates as many others with bare SQL, and measures the latter. */
async function prepare(
  service: Service,
  count: number,
): Promise<{ floorMs: number; floorSeconds: number; userIds: number[] }> {
  const { db, close } = await openStorage(service);
  try {
    const others = await addUsers(db, count);
    const userIds = await addUsers(db, count);
    await sql`vacuum analyze`.execute(db);
    const { DATABASE_URL } = service.storageEnv;
    const usedBefore = measureProcessorTime(DATABASE_URL);
    const floorMs = await measureMs(async () => {
      for (let from = 0; from < count; from += PER_STATEMENT)
        await deactivateInSql(db, others.slice(from, from + PER_STATEMENT));
    });
    const floorSeconds = measureProcessorTime(DATABASE_URL).database - usedBefore.database;
    return { floorMs, floorSeconds, userIds };
  } finally {
    await close();
  }
}

const JobProgress = z.object({
  id: z.number(),
  state: z.string(),
  done: z.number(),
  startedDate: z.string().nullable(),
  finishedDate: z.string().nullable(),
});

/** Durations of requests in milliseconds: reads and writes of users, and those that need no database. */
interface Latencies {
  requests: number[];
  loop: number[];
}

/** Sends requests of other clients until `isOver`. */
async function measureRequests(service: Service, call: Call, isOver: () => boolean): Promise<Latencies> {
  const latencies: Latencies = { requests: [], loop: [] };
  const repeat = async (times: number[], send: (n: number) => Promise<unknown>) => {
    for (let n = 0; !isOver(); n += 1) {
      times.push(await measureMs(() => send(n)));
      await sleep(REQUEST_PAUSE_MS);
    }
  };
  await Promise.all([
    repeat(latencies.requests, (n) => call(`${MANAGEMENT}/user?pageNumber=${1 + (n % 20)}&pageSize=50`)),
    repeat(latencies.requests, (n) =>
      call(`${MANAGEMENT}/user`, { method: 'PUT', body: JSON.stringify({ id: 2, lastName: `L${n}` }) }),
    ),
    repeat(latencies.loop, async () => (await fetch(`${service.url}/healthz`)).text()),
  ]);
  return latencies;
}

async function measureJob(kind: Database['kind'], count: number): Promise<Measure[]> {
  await chooseDatabase(kind);
  const service = await startService({ sample: true, administrator: ada });
  try {
    // Only one process can open the embedded database.
    if (kind === 'embedded') await service.stop();
    const { floorMs, floorSeconds, userIds } = await prepare(service, count);
    if (kind === 'embedded') await service.start();
    const call = await createProgram(service);
    const beforeEnd = performance.now() + BEFORE_MS;
    const before = await measureRequests(service, call, () => performance.now() > beforeEnd);
    const usedBefore = measureProcessorTime(service.storageEnv['DATABASE_URL']);
    const startedAt = performance.now();
    let job = JobProgress.parse(
      await call(`${MANAGEMENT}/jobs/userUpdates`, {
        method: 'POST',
        body: JSON.stringify({ userIds, isActive: false }),
      }),
    );
    const startMs = performance.now() - startedAt;
    let isOver = false;
    const measuring = measureRequests(service, call, () => isOver);
    while (job.finishedDate === null) {
      await sleep(POLL_MS);
      job = JobProgress.parse(await call(`${MANAGEMENT}/jobs/${job.id}`));
    }
    isOver = true;
    const used = measureProcessorTime(service.storageEnv['DATABASE_URL']);
    const during = await measuring;
    if (job.state !== 'finished' || job.done !== count)
      throw new Error(`The job is ${job.state} with ${job.done} of ${count} people`);
    const jobMs = Date.parse(job.finishedDate) - Date.parse(job.startedDate ?? '');
    const p95 = percentile(before.requests, 0.95);
    return [
      { name: 'start of the job', ours: startMs, unit: 'ms' },
      {
        name: `deactivating ${count.toLocaleString('en')} people`,
        ours: jobMs,
        floor: floorMs,
        unit: 'ms',
        maximum: MAX_RATIO * floorMs,
      },
      {
        name: 'people per second',
        ours: (count * 1_000) / jobMs,
        unit: '',
        minimum: MIN_PEOPLE_PER_SECOND[kind],
      },
      { name: '  processor time of the service', ours: used.service - usedBefore.service, unit: 's' },
      {
        name: '  processor time of PostgreSQL, 0 embedded',
        ours: used.database - usedBefore.database,
        floor: floorSeconds,
        unit: 's',
      },
      {
        name: 'other requests, p95 (floor: before the job)',
        ours: percentile(during.requests, 0.95),
        floor: p95,
        unit: 'ms',
        maximum: p95 + MAX_RISE_MS,
      },
      {
        name: 'requests without database, slowest (floor: before the job)',
        ours: percentile(during.loop, 1),
        floor: percentile(before.loop, 1),
        unit: 'ms',
        maximum: MAX_LOOP_GAP_MS,
      },
    ];
  } finally {
    await service.remove();
  }
}

const createBench = (kind: Database['kind'], name: string): Bench => ({
  name,
  run: ({ users = PEOPLE }) => measureJob(kind, users),
});

export const jobs = createBench('postgres', 'Jobs, on PostgreSQL');
export const jobsEmbedded = createBench('embedded', 'Jobs, embedded');
