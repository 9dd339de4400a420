/** The service behind PgBouncer in transaction mode, where that is installed (Debian: package pgbouncer). */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findFreePort } from '../../../../scripts/testing/free-port.ts';
import { createTestDatabase } from '../../../testing/databases.ts';
import { as, createTestApp, makePerson, makeSite } from '../../../testing/site.ts';
import { openDatabase, readInSnapshot, withReadOnly, withTransaction } from '../database.ts';

const isInstalled = spawnSync('pgbouncer', ['--version']).error === undefined;
const isSkipped = !isInstalled || process.env['STEWARD_TEST_DATABASES'] === 'embedded';
if (!isInstalled) console.log('PgBouncer is not installed: its test is skipped');

const USERS = '/api/rest/v1/management/user';

/** Starts PgBouncer with two server connections, so that the transactions of a client change between them. */
async function startPooler(databaseUrl: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-pgbouncer-'));
  await chmod(folder, 0o755);
  const [port, server] = [await findFreePort(), new URL(databaseUrl)];
  await writeFile(join(folder, 'users.txt'), `"${server.username}" ""\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = 2
`,
  );
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const pooler = spawn('pgbouncer', ['-q', ...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  const isListening = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  await expect.poll(isListening, { timeout: 10_000 }).toBe(true);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      pooler.kill('SIGTERM');
      if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

test.skipIf(isSkipped)('DATABASE_POOLED works through PgBouncer in transaction mode', async () => {
  const [testDatabase, empty] = [
    await createTestDatabase('postgres'),
    await createTestDatabase('postgres', { empty: true }),
  ];
  const pooler = await startPooler(testDatabase.databaseUrl ?? '');
  const through = (databaseUrl: string | undefined): string => {
    const url = new URL(pooler.url);
    url.pathname = new URL(databaseUrl ?? '').pathname;
    return url.href;
  };
  const place = { ...testDatabase, databaseUrl: pooler.url };
  // Without the setting PgBouncer refuses the connection.
  await expect(openDatabase(place)).rejects.toThrow('startup parameter');
  await expect(
    openDatabase({ ...empty, databaseUrl: through(empty.databaseUrl), pool: { isPooled: true } }),
  ).rejects.toThrow('run steward migrate --run');
  const database = await openDatabase({
    ...place,
    limits: { statementMs: 400 },
    pool: { isPooled: true, maxConnections: 6 },
  });
  const { db } = database;
  await database.ping();
  const person = await makePerson(db, await makeSite(db));
  const app = await createTestApp(database);
  const api = as(app, person);
  // Requests share two sessions, in which statements are repeated often enough to be prepared otherwise.
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_each, at) => {
      const reply =
        at % 3 === 0
          ? await api.put(USERS, { id: person.userId, lastName: `Name ${at}` })
          : await api.get(`${USERS}/${person.userId}`);
      return reply.status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));

  // Settings hold in a statement alone, in a transaction, in a snapshot and for readers, whatever the session had before.
  const read = sql<{ zone: string; jit: string; timeout: string }>`
    select current_setting('timezone') as zone, current_setting('jit') as jit, current_setting('statement_timeout') as timeout`;
  const expected = { zone: 'UTC', jit: 'off', timeout: '400ms' };
  const results = await Promise.all([
    read.execute(db),
    withTransaction(db, { lockedSiteId: 1 }, (tx) => read.execute(tx)),
    readInSnapshot(db, (tx) => read.execute(tx)),
    read.execute(withReadOnly(db)),
  ]);
  expect(results.map(({ rows }) => rows)).toEqual(results.map(() => [expected]));
  await expect(sql`delete from mail`.execute(withReadOnly(db))).rejects.toMatchObject({ code: '25006' });
  await expect(sql`select pg_sleep(10)`.execute(db)).rejects.toMatchObject({ code: '57014' });
  await app.close();
  await database.close();
  await pooler.stop();
  await Promise.all([testDatabase.remove(), empty.remove()]);
});
