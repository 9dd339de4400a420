import type { FastifyInstance } from 'fastify';
/** Requests while PostgreSQL does not respond, accepts no writes, or holds locks for others. */
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase, readInSnapshot, withTransaction } from '../kernel/db/database.ts';
import type { ApiClient, ErrorBody } from '../testing/calls.ts';
import { createTestDatabase, type TestDatabase } from '../testing/databases.ts';
import { endConnections, runOnCluster } from '../testing/servers/cluster.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../testing/servers/database-proxy.ts';
import { hashCheaply, signInWithPassword } from '../testing/sign-in.ts';
import { as, createTestApp, makePerson, makeSite, type Person } from '../testing/site.ts';

async function getBackendId(client: Client): Promise<number> {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
  return rows[0]?.id ?? 0;
}

// The embedded database is part of the process, and has neither a network nor a standby.
describe.runIf(process.env['STEWARD_TEST_DATABASES'] !== 'embedded')('a PostgreSQL server', () => {
  let testDatabase: TestDatabase;
  let proxy: DatabaseProxy;
  let database: Database;
  let app: FastifyInstance;
  let person: Person;
  let api: ApiClient;
  let console: ApiClient;
  beforeEach(async () => {
    testDatabase = await createTestDatabase('postgres');
    proxy = await startDatabaseProxy(testDatabase.databaseUrl ?? '');
    database = await openDatabase({ ...testDatabase, databaseUrl: proxy.url });
    app = await createTestApp(database);
    person = await makePerson(database.db, await makeSite(database.db));
    api = as(app, person);
    console = as(app, person, 'console');
  });
  afterEach(async () => {
    proxy.resume();
    await app.close();
    await database.close();
    proxy.close();
    await testDatabase.remove();
  });

  const getDatabaseName = () => new URL(testDatabase.databaseUrl ?? '').pathname.slice(1);
  /** Makes the server read-only for new sessions and ends the present ones, like a failover to a standby. */
  const makeReadOnly = async () => {
    await runOnCluster(`alter database ${getDatabaseName()} set default_transaction_read_only = on`);
    await endConnections(database.db);
  };
  /** Makes it writable for new sessions; the present ones stay read-only. */
  const makeWritable = () =>
    runOnCluster(`alter database ${getDatabaseName()} reset default_transaction_read_only`);

  const getReadiness = () => api.get<ErrorBody>('/readyz');
  const rename = (lastName: string) => api.put<ErrorBody>('user', { id: person.userId, lastName });

  describe('that does not respond (M5)', () => {
    test('requests fail with 503 within seconds, further ones at once, and succeed when it responds again', async () => {
      expect((await rename('Before')).status).toBe(200);
      proxy.pause();
      const start = performance.now();
      // More requests than the pool has connections: some wait for a statement, others for a connection.
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          index % 2 === 0 ? api.get<ErrorBody>('user') : rename(`L${index}`),
        ),
      );
      // Three seconds of waiting, and the rest for a busy machine. A connection attempt alone takes ten without the probe.
      expect(performance.now() - start).toBeLessThan(8_000);
      for (const { status, headers } of replies) {
        expect(status).toBe(503);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      const second = performance.now();
      expect((await getReadiness()).status).toBe(503);
      expect((await rename('While paused')).status).toBe(503);
      const metadata = await api.get('/.well-known/oauth-authorization-server');
      expect([metadata.status, metadata.headers['retry-after']]).toEqual([503, '2']);
      expect(performance.now() - second).toBeLessThan(2_000);

      proxy.resume();
      await vi.waitFor(async () => expect((await getReadiness()).status).toBe(200), { timeout: 20_000 });
      expect((await rename('After')).status).toBe(200);
      expect((await api.get(`user/${person.userId}`)).body).toMatchObject({ lastName: 'After' });
    });

    describe('to a COMMIT', () => {
      // A zero byte ends the text of a statement.
      const COMMIT = 'commit\0';

      test('the request fails with 503 without Retry-After, and its change may be stored', async () => {
        expect((await rename('Before')).status).toBe(200);
        proxy.pauseAfter(COMMIT);
        const { status, headers, body } = await rename('Unconfirmed');
        expect(status).toBe(503);
        expect(headers['retry-after']).toBeUndefined();
        expect(body.message).toBe(
          'The database did not confirm the change. Check whether it was made before you repeat it.',
        );

        proxy.resume();
        await vi.waitFor(async () => expect((await getReadiness()).status).toBe(200), { timeout: 20_000 });
        expect((await api.get(`user/${person.userId}`)).body).toMatchObject({ lastName: 'Unconfirmed' });
      });

      test('whose connection is reset: the same response, the change is stored, and the next request works (F09)', async () => {
        expect((await rename('Before')).status).toBe(200);
        proxy.resetAfter(COMMIT);
        const { status, headers, body } = await rename('Unconfirmed');
        expect([status, headers['retry-after'], body.message]).toEqual([
          503,
          undefined,
          'The database did not confirm the change. Check whether it was made before you repeat it.',
        ]);
        expect((await api.get(`user/${person.userId}`)).body).toMatchObject({ lastName: 'Unconfirmed' });
        expect((await rename('Next')).status).toBe(200);
      });

      test.each(['pauseAfter', 'resetAfter'] as const)(
        'the transaction is not repeated (%s)',
        async (fault) => {
          let attempts = 0;
          proxy[fault](COMMIT);
          const writing = withTransaction(database.db, {}, (tx) => {
            attempts += 1;
            return tx.insertInto('site').values({ slug: 'once', name: '' }).execute();
          });
          await expect(writing).rejects.toMatchObject({ code: '08007' });
          expect(attempts).toBe(1);
        },
      );

      test('a transaction that only reads may be repeated', async () => {
        proxy.pauseAfter(COMMIT);
        const reading = readInSnapshot(database.db, (tx) => sql`select 1`.execute(tx));
        await expect(reading).rejects.toMatchObject({ code: '08006' });
      });
    });

    test('a long statement goes on while the server responds', async () => {
      await expect(sql`select pg_sleep(4)`.execute(database.db)).resolves.toBeDefined();
    });
  });

  test('whose connections are all in use is slow and not down: the process stays ready', async () => {
    const limited = await openDatabase({
      ...testDatabase,
      databaseUrl: proxy.url,
      pool: { maxConnections: 1 },
    });
    const ownApp = await createTestApp(limited);
    const probe = () => as(ownApp, person).get<{ status?: string; database?: string }>('/readyz');
    try {
      expect((await probe()).body).toEqual({ status: 'ok' });
      const released = Promise.withResolvers<void>();
      const holding = limited.db.connection().execute(() => released.promise);
      const { status, body } = await probe();
      expect([status, body]).toEqual([200, { status: 'ok', database: 'slow' }]);
      proxy.pause();
      expect((await probe()).status).toBe(503);
      proxy.resume();
      released.resolve();
      await holding;
      await expect.poll(async () => (await probe()).body, { timeout: 20_000 }).toEqual({ status: 'ok' });
    } finally {
      await ownApp.close();
      await limited.close();
    }
  });

  test('in which somebody else holds the lock of a row: 503 with Retry-After within the statement timeout (F11)', async () => {
    const limited = await openDatabase({ ...testDatabase, limits: { statementMs: 1_500 } });
    const ownApp = await createTestApp(limited);
    const own = as(ownApp, person);
    const stranger = new Client({ connectionString: testDatabase.databaseUrl });
    await stranger.connect();
    const change = (lastName: string) => own.put<ErrorBody>('user', { id: person.userId, lastName });
    try {
      expect((await change('Before')).status).toBe(200);
      await stranger.query('begin');
      await stranger.query('select from account where user_id = $1 for update', [person.userId]);
      const changing = change('Refused');
      // The stranger sees it wait, and others are served meanwhile.
      await vi.waitFor(
        async () => {
          const { rows } = await stranger.query(
            `select from pg_locks where not granted and $1::int = any(pg_blocking_pids(pid))`,
            [await getBackendId(stranger)],
          );
          expect(rows.length).toBeGreaterThan(0);
        },
        { timeout: 20_000 },
      );
      expect((await own.get('user')).status).toBe(200);
      const { status, headers, body } = await changing;
      expect([status, Number(headers['retry-after']) > 0]).toEqual([503, true]);
      expect(body.message).not.toContain('statement');
      await stranger.query('commit');
      expect((await change('After')).status).toBe(200);
      expect((await own.get(`user/${person.userId}`)).body).toMatchObject({ lastName: 'After' });
    } finally {
      await stranger.end();
      await ownApp.close();
      await limited.close();
    }
  });

  describe('for which a request waits too long as a whole', () => {
    let limited: Database;
    let ownApp: FastifyInstance;
    let own: ApiClient;
    beforeEach(async () => {
      limited = await openDatabase({ ...testDatabase, databaseUrl: proxy.url, requestMs: 500 });
      ownApp = await createTestApp(limited);
      own = as(ownApp, person);
    });
    afterEach(async () => {
      await ownApp.close();
      await limited.close();
    });

    const ENDED = 'This request waited too long for the database, so it was ended';

    test('because of a lock: 503 with Retry-After long before the statement timeout, and nothing is changed', async () => {
      const stranger = new Client({ connectionString: testDatabase.databaseUrl });
      await stranger.connect();
      try {
        await stranger.query('begin');
        await stranger.query('select from account where user_id = $1 for update', [person.userId]);
        const { status, headers, body } = await own.put<ErrorBody>('user', {
          id: person.userId,
          lastName: 'Refused',
        });
        expect([status, Number(headers['retry-after']) > 0, body.message]).toEqual([503, true, ENDED]);
        await stranger.query('commit');
      } finally {
        await stranger.end();
      }
      expect((await own.put('user', { id: person.userId, lastName: 'After' })).status).toBe(200);
      expect((await api.get(`user/${person.userId}`)).body).toMatchObject({ lastName: 'After' });
    });

    test('because its statements are slow together: no further one begins, and shorter requests go on', async () => {
      const password = 'correct horse battery';
      const { email } = await makePerson(database.db, person.siteId, { passwordHash: hashCheaply(password) });
      const signIn = () => signInWithPassword(ownApp, { email, password });
      // Opens the connections, which takes several round trips.
      expect((await own.get('user')).status).toBe(200);
      proxy.delay(100);
      // The attempt is counted in a transaction of its own, so that the request must not be repeated by itself.
      const { status, headers, body } = await signIn();
      expect([status, headers['retry-after'], body.message]).toEqual([
        503,
        undefined,
        `${ENDED}. Check what it has changed before you repeat it.`,
      ]);
      expect((await own.get('user')).status).toBe(200);
      proxy.delay(0);
      expect((await signIn()).status).toBe(200);
    });
  });

  describe('that is read-only', () => {
    test('writes get 503 with Retry-After, reads go on, and readiness says why', async () => {
      await database.db
        .updateTable('session')
        .set({ last_seen_at: sql`now() - interval '5 minutes'` })
        .execute();
      await makeReadOnly();
      // Connections that the server has ended are replaced as they are found.
      await vi.waitFor(async () => expect((await api.get('user')).status).toBe(200), { timeout: 20_000 });
      for (const reply of [await rename('Refused'), await console.put('user', { id: person.userId })]) {
        expect(reply.status).toBe(503);
        expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await rename('Refused')).body.message).toContain('read-only');
      expect((await console.get('user')).status).toBe(200);
      const readiness = await getReadiness();
      expect([readiness.status, readiness.body.message]).toEqual([503, expect.stringContaining('read-only')]);
    });

    test('when the server accepts writes again, so do connections that were read-only', async () => {
      await makeReadOnly();
      await vi.waitFor(async () => expect((await api.get('user')).status).toBe(200), { timeout: 20_000 });
      expect((await rename('Refused')).status).toBe(503);
      // Every connection of the pool is read-only now.
      await Promise.all(Array.from({ length: 30 }, () => api.get('user')));
      await makeWritable();
      await vi.waitFor(async () => expect((await rename('Written')).status).toBe(200), { timeout: 20_000 });
      const replies = await Promise.all(Array.from({ length: 30 }, (_, index) => rename(`N${index}`)));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      expect((await getReadiness()).status).toBe(200);
    });
  });
});
