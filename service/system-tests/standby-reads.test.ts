/** Reads of a hot standby: a server with streaming replication, whose replay the tests pause. */
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, runStatement, startPostgres, startStandby } from '../../scripts/testing/postgres.ts';
import {
  createShownRecorder,
  type Database,
  type Db,
  openDatabase,
  openForUser,
  readInSnapshot,
  withRecordedWrites,
  withTransaction,
} from '../kernel/db/database.ts';
import { PositionSamples } from '../kernel/db/driver/standby.ts';
import { checkInstallation } from '../kernel/installation/installation-checks.ts';
import { createInstallation } from '../kernel/installation/installation.ts';
import { loadMetrics } from '../kernel/installation/metrics.store.ts';
import { hashSecret } from '../kernel/secret.ts';
import { formatMetrics } from '../kernel/telemetry/metrics.ts';
import { type ApiClient } from '../testing/calls.ts';
import { DATA, makeThings } from '../testing/entries/entries.ts';
import { createFolderPlace } from '../testing/files/file-place.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../testing/servers/database-proxy.ts';
import { as, createTestApp, makePerson, makeSite, makeToken, type Person } from '../testing/site.ts';

const isSkipped = process.env['STEWARD_TEST_DATABASES'] === 'embedded';
const USERS = '/api/rest/v1/management/user';

test('a position that was replayed is as old as the time at which the primary had it', () => {
  const samples = new PositionSamples(10_000);
  expect(samples.getAge(100n, 0)).toBeUndefined();
  samples.add(0, 100n);
  samples.add(100, 150n);
  samples.add(5_000, 200n);
  expect(samples.getAge(99n, 5_000)).toBeUndefined();
  expect(samples.getAge(199n, 6_000)).toBe(6_000);
  expect(samples.getAge(200n, 6_000)).toBe(1_000);
  samples.add(10_001, 300n);
  expect(samples.getAge(199n, 10_001)).toBeUndefined();
  expect(samples.getAge(250n, 15_001)).toBeUndefined();
});

const toDatabase = (clusterUrl: string): string => {
  const parsed = new URL(clusterUrl);
  parsed.pathname = '/steward';
  return parsed.href;
};

const waitUntil = async (client: Client, condition: string): Promise<void> => {
  await expect
    .poll(async () => (await client.query<{ is: boolean }>(`select ${condition} as is`)).rows[0]?.is)
    .toBe(true);
};
/** Reads until the standby answers one: a process does not try it for a moment after a write. */
const readFromStandby = async <T>(
  { database }: { database: Database },
  read: () => Promise<T>,
): Promise<T> => {
  let result: T | undefined;
  await expect
    .poll(
      async () => {
        const before = database.standby?.status.served ?? 0;
        result = await read();
        return result !== undefined && (database.standby?.status.served ?? 0) > before;
      },
      { timeout: 10_000 },
    )
    .toBe(true);
  if (result === undefined) throw new Error('There was no read');
  return result;
};
const readName = async (client: ApiClient, userId: number, headers: Record<string, string> = {}) => {
  const { status, body } = await client.get<{ id: number; lastName: string }[]>(`${USERS}?pageSize=100`, {
    headers,
  });
  return status === 200 ? body.find(({ id }) => id === userId)?.lastName : status;
};
const rename = async (client: ApiClient, userId: number, lastName: string, headers = {}): Promise<void> => {
  expect(await client.put(USERS, { id: userId, lastName }, { headers })).toMatchObject({ status: 200 });
};

/** A setting that only the standby has; a function of the server would go to the primary by its name. */
const isStandby = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ setting: string }>`
    select current_setting('max_standby_streaming_delay') as setting`.execute(db);
  return rows[0]?.setting === '0';
};
const countThings = async (client: ApiClient): Promise<number> => {
  // An order by choices has no index.
  const path = `${DATA}/entrydata/rows/Thing?orderBy=Stage&limit=5`;
  const { status, body } = await client.get<{ totalRecords: number }>(path);
  expect(status).toBe(200);
  return body.totalRecords;
};
const asPlain = (text: string): string => {
  const parsed = new URL(text);
  parsed.username = 'plain';
  return parsed.href;
};

const countConflicting = async (tx: Db): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from conflicting`.execute(tx);
  return rows[0]?.count ?? 0;
};
/** The finding of `steward doctor` about a standby, as a role that is not the superuser of the tests. */
const checkStandby = async (databaseUrl: string, readUrl: string) => {
  const env = { DATA_DIR: '/tmp', DATABASE_URL: asPlain(databaseUrl), DATABASE_READ_URL: asPlain(readUrl) };
  return (await checkInstallation(env)).find((finding) => finding.check === 'standby');
};

describe.skipIf(isSkipped)('with a hot standby', () => {
  let primary: Cluster;
  let standby: Cluster;
  let proxy: DatabaseProxy;
  let onStandby: Client;
  let onPrimary: Client;
  let url: string;
  let processes: { database: Database; app: FastifyInstance }[] = [];
  let author: Person;
  let reader: Person;

  const open = (readUrl: string, maxLagMs = 60_000): Promise<Database> =>
    openDatabase({
      databaseUrl: url,
      dataDir: '/nowhere',
      reads: { databaseUrl: readUrl, maxConnections: 4, maxLagMs },
    });

  const pauseReplay = async (): Promise<void> => {
    await catchUp();
    await onStandby.query('select pg_wal_replay_pause()');
    await waitUntil(onStandby, `pg_get_wal_replay_pause_state() = 'paused'`);
  };
  const resumeReplay = () => onStandby.query('select pg_wal_replay_resume()');
  const catchUp = async (): Promise<void> => {
    const { rows } = await onPrimary.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
    await waitUntil(onStandby, `pg_last_wal_replay_lsn() >= '${rows[0]?.lsn ?? ''}'`);
  };
  const at = (index: number): { database: Database; app: FastifyInstance } => {
    const process = processes[index];
    if (!process) throw new Error('The processes run inside tests');
    return process;
  };
  beforeAll(async () => {
    primary = await startPostgres();
    url = toDatabase(primary.url);
    await runStatement(primary.url, 'create database steward');
    await (await openDatabase({ databaseUrl: url, dataDir: '/nowhere' })).close();
    standby = await startStandby(primary.url, {
      settings: ['max_standby_streaming_delay=0', 'hot_standby_feedback=off'],
    });
    proxy = await startDatabaseProxy(toDatabase(standby.url));
    onPrimary = new Client({ connectionString: url });
    onStandby = new Client({ connectionString: toDatabase(standby.url) });
    await Promise.all([onPrimary.connect(), onStandby.connect()]);
    for (let index = 0; index < 2; index += 1) {
      const database = await open(proxy.url);
      processes.push({ database, app: await createTestApp(database) });
    }
    const { db } = at(0).database;
    const siteId = await makeSite(db);
    author = await makePerson(db, siteId);
    reader = await makePerson(db, siteId);
    // Two servers are initialized.
  }, 180_000);
  // Also after a test that failed.
  afterEach(() => resumeReplay());
  afterAll(async () => {
    for (const { app, database } of processes) {
      await app.close();
      await database.close();
    }
    processes = [];
    await Promise.all([onPrimary.end(), onStandby.end()]);
    proxy.close();
    await standby.stop();
    await primary.stop();
  });

  test('nobody reads less than their own last write, whichever process answers', async () => {
    const [first, second] = [at(0), at(1)];
    const clients = (['program', 'console'] as const).map((client) => ({
      writes: as(first.app, author, client),
      reads: as(second.app, author, client),
    }));
    for (const [index, { writes, reads }] of clients.entries()) {
      await readFromStandby(second, () => readName(reads, author.userId));
      const before = await readName(reads, author.userId);
      await pauseReplay();
      const name = `Paused ${index}`;
      await rename(writes, author.userId, name);
      for (const each of clients) {
        expect(await readName(each.reads, author.userId)).toBe(name);
        expect(await readName(each.writes, author.userId)).toBe(name);
      }
      // Others read the standby, which does not have the write yet.
      const others = await readFromStandby(second, () => readName(as(second.app, reader), author.userId));
      expect(others).toBe(before);
      await resumeReplay();
      expect(await readFromStandby(second, () => readName(reads, author.userId))).toBe(name);
    }
  });

  test('a caller who acts for another user reads what was written while acting', async () => {
    const [first, second] = [at(0), at(1)];
    const { db } = first.database;
    const things = await makeThings({ app: first.app, db });
    const { siteId, person: proxyPerson, typeId } = things;
    const principal = await makePerson(db, siteId);
    await db
      .insertInto('proxy_assignment')
      .values({ site_id: siteId, user_id: principal.userId, proxy_id: proxyPerson.userId })
      .execute();
    const acting = { 'as-user': String(principal.userId) };
    const count = async (headers = {}): Promise<number> => {
      const client = as(second.app, proxyPerson);
      const { body } = await client.get<{ totalRecords: number }>(`${DATA}/entrydata/rows/Thing`, {
        headers,
      });
      return body.totalRecords;
    };
    expect(await readFromStandby(second, () => count(acting))).toBe(0);
    await pauseReplay();
    const written = await as(first.app, proxyPerson).post(
      `${DATA}/entrydata/${typeId}`,
      { storeRequests: things.items(-1, { Name: 'Written while acting' }) },
      { headers: acting },
    );
    expect(written.status).toBe(200);
    expect(await count(acting)).toBe(1);
    expect(await count()).toBe(1);
    await resumeReplay();
    expect(await readFromStandby(second, () => count(acting))).toBe(1);
  });

  test('a token and a capability that are taken away end with the next request', async () => {
    const second = at(1);
    const { db } = second.database;
    const person = await makePerson(db, author.siteId);
    const token = await makeToken(db, person);
    const client = as(second.app, { ...person, token });
    await readFromStandby(second, () => readName(client, person.userId));
    await readFromStandby(second, () => readName(as(second.app, person), person.userId));
    await pauseReplay();
    await db.deleteFrom('access_token').where('token_hash', '=', hashSecret(token)).execute();
    expect(await readName(client, person.userId)).toBe(401);
    await db.deleteFrom('group_member').where('user_id', '=', person.userId).execute();
    expect(await readName(as(second.app, person), person.userId)).toBe(403);
    await resumeReplay();
  });

  test('lists whose ids are cached show the caller their own entries', async () => {
    const [first, second] = [at(0), at(1)];
    const things = await makeThings({ app: first.app, db: first.database.db });
    const watcher = await makePerson(first.database.db, things.siteId);
    const creator = things.person;
    await things.create({ Name: 'Old' });
    const count = await readFromStandby(second, () => countThings(as(second.app, watcher)));
    await pauseReplay();
    await things.create({ Name: 'New' });
    expect(await readFromStandby(second, () => countThings(as(second.app, watcher)))).toBe(count);
    expect(await countThings(as(second.app, creator))).toBe(count + 1);
    await resumeReplay();
    await expect.poll(() => countThings(as(second.app, watcher))).toBe(count + 1);
  });

  test('a standby that is too far behind answers nothing until it has caught up', async () => {
    const database = await open(proxy.url, 1_000);
    const app = await createTestApp(database);
    const client = as(app, reader);
    await readFromStandby({ database }, () => readName(client, author.userId));
    await pauseReplay();
    await rename(as(at(0).app, author), author.userId, 'Too far behind');
    await expect.poll(() => readName(client, author.userId), { timeout: 10_000 }).toBe('Too far behind');
    expect(database.standby?.status).toMatchObject({ isUsable: false, lag: { seconds: 1 } });
    expect(database.standby?.status.lag?.bytes).toBeGreaterThan(0);
    await resumeReplay();
    await expect.poll(() => database.standby?.status.isUsable, { timeout: 10_000 }).toBe(true);
    await readFromStandby({ database }, () => readName(client, author.userId));
    await app.close();
    await database.close();
  });

  test('the primary answers while the standby is gone, and while it hangs', async () => {
    const second = at(1);
    const client = as(second.app, reader);
    const read = () => readName(client, author.userId);
    const name = await readFromStandby(second, read);
    // All connections of the process are ended by the server.
    await onStandby.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'steward'`,
    );
    expect(await read()).toBe(name);
    await readFromStandby(second, read);
    proxy.pause();
    expect(await read()).toBe(name);
    expect(second.database.standby?.status.isUsable).toBe(false);
    proxy.resume();
    await expect.poll(() => second.database.standby?.status.isUsable).toBe(true);
    await readFromStandby(second, read);

    const refused = await open('postgresql://steward@127.0.0.1:9/steward');
    const app = await createTestApp(refused);
    expect(await readName(as(app, reader), author.userId)).toBe(name);
    expect(await readName(as(app, reader), author.userId)).toBe(name);
    expect(refused.standby?.status).toMatchObject({ isUsable: false, served: 0 });
    await expect(refused.standby?.measure()).rejects.toThrow('ECONNREFUSED');
    await app.close();
    await refused.close();
  });

  test('the checks, the page and the metrics say how far the standby is', async () => {
    const { database } = at(1);
    // Not the superuser of the tests.
    await onPrimary.query('create role plain login');
    await catchUp();
    expect(await checkStandby(url, toDatabase(standby.url))).toMatchObject({ status: 'ok' });
    expect(await checkStandby(url, toDatabase(primary.url).replace('127.0.0.1', 'localhost'))).toMatchObject({
      status: 'warning',
    });
    expect(await checkStandby(url, 'postgresql://127.0.0.1:9/steward')).toMatchObject({ status: 'warning' });
    await onPrimary.query('drop role plain');

    await readFromStandby(at(1), () => readName(as(at(1).app, reader), author.userId));
    const installation = createInstallation(
      {},
      { copies: undefined },
      { database, place: createFolderPlace('/tmp') },
    );
    const { findings } = await installation.readChecks();
    const finding = findings.find((each) => each.check === 'standby reads');
    expect(finding?.status).toBe('ok');
    expect(finding?.message).toMatch(/^The standby answered [1-9]\d* % of the reads/);

    await catchUp();
    expect(await formatMetrics(() => loadMetrics(database))).toMatch(/^steward_standby_up 1$/m);
    await pauseReplay();
    await rename(as(at(0).app, author), author.userId, 'Not replayed');
    const metrics = await formatMetrics(() => loadMetrics(database));
    expect(metrics).toMatch(/^steward_standby_lag_bytes [1-9]/m);
    expect(metrics).toMatch(/^steward_standby_reads_total\{outcome="served"\} [1-9]/m);
  });

  test('a server that is no standby answers nothing', async () => {
    const database = await open(url);
    const app = await createTestApp(database);
    expect(await readName(as(app, reader), author.userId)).toBeTypeOf('string');
    expect(database.standby?.status).toMatchObject({ isUsable: false, served: 0 });
    await app.close();
    await database.close();
  });

  const createReadDb = (db: Db, userId = reader.userId): Db =>
    openForUser(db, userId).createReadDb(new AbortController().signal);

  const waitForStandby = async ({ db }: Database): Promise<void> => {
    await expect.poll(() => isStandby(createReadDb(db)), { timeout: 10_000 }).toBe(true);
  };

  test('a snapshot that the standby cancels for its replay is read again from the primary', async () => {
    const { database } = at(1);
    await onPrimary.query('create table conflicting as select n from generate_series(1, 1000) as n');
    await catchUp();
    await waitForStandby(database);
    const counts: number[] = [];
    const again = await readInSnapshot(createReadDb(database.db), async (tx) => {
      counts.push(await countConflicting(tx));
      // The standby removes rows that the snapshot needs, and ends it for that.
      await onPrimary.query('delete from conflicting where n > 10');
      await onPrimary.query('vacuum conflicting');
      await catchUp();
      return countConflicting(tx);
    });
    expect({ counts, again }).toEqual({ counts: [1_000, 10], again: 10 });
    await onPrimary.query('drop table conflicting');
  });

  test('an error of a statement is that of the primary', async () => {
    const { database } = at(1);
    const db = createReadDb(database.db);
    await expect(sql`select 1 / (1 - 1)`.execute(db)).rejects.toMatchObject({ code: '22012' });
    await expect(
      readInSnapshot(createReadDb(database.db), (tx) => sql`select 1 / (1 - 1)`.execute(tx)),
    ).rejects.toMatchObject({ code: '22012' });
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  test('what may write, or follows a statement on the primary, goes to the primary', async () => {
    const { database } = at(1);
    await waitForStandby(database);
    const writing = createReadDb(database.db);
    await withTransaction(writing, {}, (tx) => tx.deleteFrom('mail').where('mail_id', '=', -1).execute());
    expect(await isStandby(writing)).toBe(false);
    const { db, createReadDb: createOwnReadDb } = openForUser(database.db, reader.userId);
    const own = createOwnReadDb(new AbortController().signal);
    expect(await isStandby(own)).toBe(true);
    await sql`select 1`.execute(db);
    expect(await isStandby(own)).toBe(false);
  });

  test('writes are recorded with their transaction, and reads are not', async () => {
    const { database } = at(0);
    const readWrite = async (): Promise<string | undefined> => {
      const { rows } = await onPrimary.query<{ id: string }>(
        'select write_id::text as id from user_write where user_id = $1',
        [reader.userId],
      );
      return rows[0]?.id;
    };
    const db = withRecordedWrites(database.db, reader.userId);
    let last = await readWrite();
    const expectRecorded = async (isRecorded: boolean): Promise<void> => {
      const now = await readWrite();
      expect(now !== last).toBe(isRecorded);
      last = now;
    };
    const touch = (tx: Db) =>
      tx.updateTable('account').set({ first_name: 'Ada' }).where('user_id', '=', reader.userId).execute();
    await touch(db);
    await expectRecorded(true);
    await withTransaction(db, {}, touch);
    await expectRecorded(true);
    await createShownRecorder(db)();
    await expectRecorded(true);
    await createShownRecorder(database.db)();
    await sql`select 1`.execute(db);
    await withTransaction(db, {}, (tx) => sql`select 1`.execute(tx));
    await readInSnapshot(db, (tx) => sql`select 1`.execute(tx));
    await expectRecorded(false);
    // Nothing is stored of a message whose statement fails, and nothing of a transaction that is rolled back.
    await expect(
      sql`update account set first_name = null where user_id = ${reader.userId}`.execute(db),
    ).rejects.toThrow('null value');
    await expect(
      withTransaction(db, {}, async (tx) => {
        await touch(tx);
        throw new Error('Undone');
      }),
    ).rejects.toThrow('Undone');
    await expectRecorded(false);
    // Without the record there is no write either.
    await onPrimary.query('alter table user_write rename to user_write_gone');
    const overwrite = (tx: Db) =>
      tx.updateTable('account').set({ first_name: 'Lost' }).where('user_id', '=', reader.userId).execute();
    await expect(overwrite(db)).rejects.toMatchObject({ code: '42P01' });
    await expect(withTransaction(db, {}, overwrite)).rejects.toMatchObject({ code: '42P01' });
    await onPrimary.query('alter table user_write_gone rename to user_write');
    const { rows } = await onPrimary.query('select first_name from account where user_id = $1', [
      reader.userId,
    ]);
    expect(rows).toEqual([{ first_name: 'Ada' }]);
  });

  test('while a process runs that records no writes, the primary answers', async () => {
    const second = at(1);
    const read = () => readName(as(second.app, reader), author.userId);
    await readFromStandby(second, read);
    await onPrimary.query(`insert into service_process (process_id, host, pid, version, node_version, started_at, seen_at,
        memory_bytes, connections_in_use, max_connections)
      values (gen_random_uuid(), 'older', 1, '0', '26', now(), now(), 1, 0, 1)`);
    const { served = 0 } = second.database.standby?.status ?? {};
    await read();
    expect(second.database.standby?.status.served).toBe(served);
    await onPrimary.query(`delete from service_process where host = 'older'`);
    await readFromStandby(second, read);
  });
});
