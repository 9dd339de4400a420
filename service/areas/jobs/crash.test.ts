/** Processes that run jobs and are killed or frozen between any two round trips. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, type Db, openDatabase } from '../../kernel/db/database.ts';
import { runDueJobs } from '../../kernel/jobs/run-jobs.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../../testing/databases.ts';
import { createJobContext } from '../../testing/jobs.ts';
import {
  startJobProcess,
  type JobProcess,
  type JobProcessTask,
  resumeProcess,
} from '../../testing/processes/job-process.ts';
import { getKillCount, startKills } from '../../testing/processes/kills.ts';
import { makePerson, makeSite } from '../../testing/site.ts';

const SHARE = { embedded: 1, postgres: 5 };
/** Round trips to the database of a claim and about two batches. */
const MAX_ROUND_TRIP = 24;
const USERS = 130;
const WARM_PROCESSES = 2;

type Changes = JobProcessTask['changes'];

/** A site with an owner of jobs and the users whom they change. */
async function makeChanges(db: Db): Promise<Changes> {
  const siteId = await makeSite(db);
  const { userId: ownerId } = await makePerson(db, siteId);
  const { rows } = await sql<{ id: number }>`
    with added as (
      insert into account (email, email_key, first_name, last_name, home_site_id)
      select n || '@crash.test', n || '@crash.test', 'P', 'Q', ${siteId}::int from generate_series(1, ${USERS}::int) n
      returning user_id)
    insert into membership (site_id, user_id, license_type_id) select ${siteId}::int, user_id, 1 from added
    returning user_id as id`.execute(db);
  return { siteId, ownerId, userIds: rows.map(({ id }) => id) };
}

/** What the jobs of the site did: numbers that differ from those of a run without faults say what was lost or done twice. */
async function readEffects(db: Db, { siteId }: Changes) {
  const { rows: jobs } = await sql<{
    state: string;
    total: number;
    done: number;
    others: number;
    open: number;
  }>`
    select state, total, done, unchanged + conflicts + failed as others,
      (select count(*)::int from job_item i where i.site_id = j.site_id and i.job_id = j.job_id
        and (i.state <> 1 or i.ended_at is null or i.label is null)) as open
    from job j where site_id = ${siteId} order by job_id`.execute(db);
  const { rows: audited } = await sql<{ rows: number; users: number; finishes: number }>`
    select count(*) filter (where action = 'user.update')::int as rows,
      count(distinct (request_id, subject_id)) filter (where action = 'user.update')::int as users,
      count(*) filter (where action = 'job.finish')::int as finishes
    from audit_log where site_id = ${siteId}`.execute(db);
  const { rows: events } = await sql<{ count: number; gaps: number; perUser: number[] }>`
    with event as (
      select off, payload #>> '{payload,entities,updated,0,id}' as id from topic_event where site_id = ${siteId}),
    counted as (select id, count(*)::int as n from event group by id)
    select (select count(*)::int from event) as count,
      (select (max(off) - min(off) + 1 - count(*))::int from event) as gaps,
      (select array_agg(distinct n) from counted) as "perUser"`.execute(db);
  return { jobs, audited: audited[0], events: events[0] };
}

const toExpectedEffects = (jobCount: number) => ({
  jobs: Array.from({ length: jobCount }, () => ({
    state: 'finished',
    total: USERS,
    done: USERS,
    others: 0,
    open: 0,
  })),
  audited: { rows: jobCount * USERS, users: jobCount * USERS, finishes: jobCount },
  events: { count: jobCount * USERS, gaps: 0, perUser: [jobCount] },
});

let cacheFolder = '';
beforeAll(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'steward-compiled-'));
});
afterAll(() => rm(cacheFolder, { recursive: true, force: true }));
const processes: JobProcess[] = [];
/** Starts a process; the compiled modules of the first one are used by the others. */
const startProcess = (): JobProcess => {
  const started = startJobProcess({ NODE_COMPILE_CACHE: cacheFolder });
  processes.push(started);
  return started;
};
afterEach(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  await Promise.all(processes.splice(0).map(({ exited }) => exited));
});

onEachKind((kind) => {
  const kills = getKillCount(kind, SHARE);
  test(
    `kill -9 between any two round trips, ${kills} times, loses no item and does none twice`,
    async () => {
      const testDatabase = await createTestDatabase(kind);
      const first = await openDatabase(testDatabase);
      const changes = await makeChanges(first.db);
      await first.close();
      const { databaseUrl, dataDir } = testDatabase;
      // Loaded in advance, so that a kill costs the start of a process only in the background.
      const warm = Array.from({ length: WARM_PROCESSES }, startProcess);
      const struck: string[] = [];
      const { random, report } = startKills('jobs', kind);
      for (let kill = 0; kill < kills; kill += 1) {
        const [running] = warm.splice(0, 1);
        if (!running) throw new Error('There is no process');
        warm.push(startProcess());
        const fault = {
          signal: 'SIGKILL',
          // The first one late, so that there is a job.
          statement: kill === 0 ? MAX_ROUND_TRIP : random.between(1, MAX_ROUND_TRIP),
          isDuring: random.chance(0.5),
        } as const;
        struck.push(`${fault.isDuring ? 'during' : 'before'} ${fault.statement}`);
        running.begin({ databaseUrl, dataDir, leaseSeconds: 0.05, fault, changes });
        expect(await running.exited).toBeNull();
      }
      const last = startProcess();
      last.begin({ databaseUrl, dataDir, leaseSeconds: 0.05, changes });
      expect(await last.exited).toBe(0);
      const { db, close } = await openDatabase(testDatabase);
      const effects = await readEffects(db, changes);
      await close();
      await testDatabase.remove();
      const writes = effects.jobs.length * USERS;
      report({
        kills,
        jobs: effects.jobs.length,
        writes,
        lost: writes - effects.jobs.reduce((sum, { done }) => sum + done, 0),
      });
      expect(effects.jobs.length).toBeGreaterThan(0);
      expect(effects, `killed ${struck.join(', ')}`).toEqual(toExpectedEffects(effects.jobs.length));
    },
    60_000 + kills * 10_000,
  );
});

// The embedded database has one process.
describe.runIf(process.env['STEWARD_TEST_DATABASES'] !== 'embedded')('a frozen process', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let changes: Changes;
  beforeEach(async () => {
    testDatabase = await createTestDatabase('postgres');
    database = await openDatabase(testDatabase);
    changes = await makeChanges(database.db);
  });
  afterEach(async () => {
    await database.close();
    await testDatabase.remove();
  });

  test.each([
    ['between two transactions', { text: 'now() as expires_at', statement: 2 }],
    ['before it takes the job in a transaction', { text: 'update job set "lease_until"', statement: 2 }],
    ['before it commits its changes', { text: 'commit', statement: 6 }],
  ])(
    '%s loses its job when the lease lapses and then writes nothing',
    async (_name, when) => {
      const { databaseUrl, dataDir } = testDatabase;
      const frozen = startProcess();
      frozen.begin({
        databaseUrl,
        dataDir,
        leaseSeconds: 0.3,
        limits: { idleMs: 1_000 },
        fault: { signal: 'SIGSTOP', ...when },
        changes,
      });
      await frozen.waitFor('stopping');
      const { rows: before } = await sql<{
        done: number;
        fence: number;
      }>`select done, fence from job where site_id = ${changes.siteId}`.execute(database.db);
      expect(before).toMatchObject([{ done: 50 }]);
      const context = createJobContext(database.db);
      await vi.waitFor(
        async () => {
          await runDueJobs(context);
          expect((await readEffects(database.db, changes)).jobs[0]?.state).toBe('finished');
        },
        { timeout: 20_000 },
      );
      const rounds = frozen.count('round');
      resumeProcess(frozen.child);
      await frozen.waitFor('round', rounds + 1);
      expect(await readEffects(database.db, changes)).toEqual(toExpectedEffects(1));
      const { rows: after } = await sql<{ fence: number }>`
        select fence from job where site_id = ${changes.siteId}`.execute(database.db);
      expect(after[0]?.fence).toBeGreaterThan(before[0]?.fence ?? 0);
    },
    60_000,
  );
});
