/** A real PostgreSQL server that crashes or is away while entries are written and a job runs, for `npm run proof`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Cluster, startPostgres } from '../../scripts/testing/postgres.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { DATA, makeThings, type Things } from '../testing/entries/entries.ts';
import { type ServiceProcess, startService } from '../testing/processes/service-process.ts';
import { createTestApp } from '../testing/site.ts';

const isProof =
  process.env['STEWARD_PROOF'] !== undefined && process.env['STEWARD_TEST_DATABASES'] !== 'embedded';
const ROUNDS = 4;
const USERS = 600;
const WRITERS = 4;
/** Entries of one request. */
const ENTRIES = 20;
/** Requests of each kind while the server is away. */
const REQUESTS_WHILE_AWAY = 100;
const MANAGEMENT = '/api/rest/v1/management';

interface Answer {
  status: number;
  retryAfter: string | null;
  body: string;
}

const NO_ANSWER: Answer = { status: 0, retryAfter: null, body: '' };

describe.runIf(isProof)('a PostgreSQL server', { timeout: 600_000 }, () => {
  let cluster: Cluster;
  let dataDir: string;
  let things: Things;
  let userIds: number[];
  let service: ServiceProcess | undefined;
  beforeEach(async () => {
    cluster = await startPostgres();
    dataDir = await mkdtemp(join(tmpdir(), 'steward-restart-'));
    const place = { databaseUrl: cluster.url, dataDir };
    const database = await openDatabase(place);
    const app = await createTestApp(database);
    things = await makeThings({ app, db: database.db });
    const { rows } = await sql<{ id: number }>`
      with added as (
        insert into account (email, email_key, first_name, last_name, home_site_id)
        select n || '@crash.test', n || '@crash.test', 'P', 'Q', ${things.siteId}::int from generate_series(1, ${USERS}::int) n
        returning user_id)
      insert into membership (site_id, user_id, license_type_id) select ${things.siteId}::int, user_id, 1 from added
      returning user_id as id`.execute(database.db);
    userIds = rows.map(({ id }) => id);
    await app.close();
    await database.close();
    service = await startService(place);
  }, 240_000);
  afterEach(async () => {
    service?.child.kill('SIGKILL');
    await service?.exited;
    service = undefined;
    await cluster.stop();
    await rm(dataDir, { recursive: true });
  });

  const call = async (path: string, body?: object): Promise<Answer> => {
    const reply = await fetch(`${service?.address}${path}`, {
      headers: { authorization: `Bearer ${things.person.token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return {
      status: reply.status,
      retryAfter: reply.headers.get('retry-after'),
      body: await reply.text(),
    };
  };
  const write = (batch: string): Promise<Answer> =>
    call(`${DATA}/entrydata/Thing`, {
      storeRequests: Array.from({ length: ENTRIES }, (_, at) => ({
        entryId: -1 - at,
        fieldId: things.field('Name').id,
        value: `${batch} entry ${at}`,
        ignoreNearDups: true,
      })),
    });
  const readJob = async (id: number): Promise<{ state: string; done: number } | undefined> => {
    const { status, body } = await call(`${MANAGEMENT}/jobs/${id}`);
    return status === 200 ? (JSON.parse(body) as { state: string; done: number }) : undefined;
  };

  test('that crashes in the middle of writes and of a job loses nothing that was acknowledged (F05)', async () => {
    const acknowledged: string[] = [];
    const others: Answer[] = [];
    const stopped = new AbortController();
    onTestFinished(() => stopped.abort());
    const runWriter = async (writer: number): Promise<void> => {
      for (let count = 0; !stopped.signal.aborted; count += 1) {
        const batch = `Batch ${writer} ${count}`;
        const answer = await write(batch).catch(() => NO_ANSWER);
        if (answer.status === 200) acknowledged.push(batch);
        else others.push(answer);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => runWriter(writer));
    const waitForWrites = () => {
      const before = acknowledged.length;
      return expect.poll(() => acknowledged.length, { timeout: 120_000 }).toBeGreaterThan(before + WRITERS);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await waitForWrites();
      const started = await call(`${MANAGEMENT}/jobs/userUpdates`, { userIds, isActive: round % 2 === 1 });
      expect(started.status).toBe(202);
      const { id } = JSON.parse(started.body) as { id: number };
      await expect
        .poll(async () => (await readJob(id))?.done ?? 0, { timeout: 120_000, interval: 1 })
        .toBeGreaterThan(0);
      await cluster.end('SIGQUIT');
      await cluster.start();
      await waitForWrites();
      await expect.poll(async () => (await readJob(id))?.state, { timeout: 240_000 }).toBe('finished');
    }
    stopped.abort();
    await Promise.all(writers);
    expect(others.filter(({ status }) => status !== 503)).toEqual([]);
    expect(others.filter(({ body }) => /select |insert |postgres/i.test(body))).toEqual([]);
    expect(service?.child.exitCode).toBeNull();

    const database = await openDatabase({ databaseUrl: cluster.url, dataDir });
    const { rows: batches } = await sql<{ batch: string; count: number }>`
      select split_part(name, ' entry ', 1) as batch, count(distinct name)::int as count from entry
      where name like 'Batch %' group by 1 having count(*) = count(distinct name)`.execute(database.db);
    const { rows: audited } = await sql<{ rows: number; users: number }>`
      select count(*)::int as rows, count(distinct (request_id, subject_id))::int as users from audit_log
      where site_id = ${things.siteId} and action = 'user.update'`.execute(database.db);
    await database.close();
    const stored = new Map(batches.map(({ batch, count }) => [batch, count]));
    console.log(
      `${ROUNDS} crashes of PostgreSQL: ${acknowledged.length} requests acknowledged, ${others.length} refused with 503, ${stored.size} stored`,
    );
    expect([...stored.values()].filter((count) => count !== ENTRIES)).toEqual([]);
    expect(acknowledged.filter((batch) => !stored.has(batch))).toEqual([]);
    expect(audited).toEqual([{ rows: ROUNDS * USERS, users: ROUNDS * USERS }]);
  });

  test('that is away: the process is alive, readiness says why, and all goes on when it is back (F06)', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect((await call('/readyz')).status).toBe(200);
      await cluster.end('SIGINT');
      for (let at = 0; at < REQUESTS_WHILE_AWAY; at += 1) {
        const [live, ready, read, written] = await Promise.all([
          call('/livez'),
          call('/readyz'),
          call(`${MANAGEMENT}/user`),
          write(`Refused ${round} ${at}`),
        ]);
        expect([live.status, ready.status, read.status, written.status]).toEqual([200, 503, 503, 503]);
        expect(ready.body).toContain('database');
        for (const { retryAfter } of [read, written]) expect(Number(retryAfter)).toBeGreaterThan(0);
      }
      await cluster.start();
      await expect.poll(async () => (await call('/readyz')).status, { timeout: 60_000 }).toBe(200);
      // More than the pool has connections: none of them is lost.
      const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => write(`Back ${round} ${at}`)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
    expect(service?.child.exitCode).toBeNull();
    const database = await openDatabase({ databaseUrl: cluster.url, dataDir });
    const { rows } = await sql<{ name: string }>`
      select name from entry where name like 'Refused %'`.execute(database.db);
    await database.close();
    expect(rows).toEqual([]);
  });
});
