import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, endlessQuery, onEachKind, type TestDatabase } from '../../testing/databases.ts';
import { endConnections } from '../../testing/servers/cluster.ts';
import { type Database, openDatabase } from './database.ts';
import { getDbError } from './driver/errors.ts';

onEachKind((kind) => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await createTestDatabase(kind);
    database = await openDatabase({
      ...testDatabase,
      limits: { statementMs: 800, waitMs: 5_000, idleMs: 600 },
    });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  const listSlugs = async () => {
    const rows = await database.db.selectFrom('site').select('slug').orderBy('slug').execute();
    return rows.map(({ slug }) => slug);
  };

  test('a statement that exceeds its timeout ends; others succeed and no acknowledged write is lost', async () => {
    const { db } = database;
    await db.insertInto('site').values({ slug: 'kept', name: '' }).execute();
    const outcomes = await Promise.allSettled([endlessQuery.execute(db), listSlugs(), listSlugs()]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: { code: '57014' } });
    expect(outcomes.slice(1)).toEqual([
      { status: 'fulfilled', value: ['kept'] },
      { status: 'fulfilled', value: ['kept'] },
    ]);
  });

  test('a transaction with a timed-out statement is rolled back as a whole', async () => {
    const overrun = database.db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'gone', name: '' }).execute();
      await endlessQuery.execute(tx).catch(() => {});
      // On the embedded database this must not run on its own in the session that replaces the killed one.
      await tx.insertInto('site').values({ slug: 'stray', name: '' }).execute();
    });
    await expect(overrun).rejects.toMatchObject({ name: 'DbError' });
    expect(await listSlugs()).toEqual(['kept']);
  });

  test('an idle transaction is rolled back and others continue', async () => {
    const sleeper = database.db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'asleep', name: '' }).execute();
      const others = listSlugs();
      await new Promise((resolve) => setTimeout(resolve, 900));
      expect(await others).toEqual(['kept']);
      await tx.insertInto('site').values({ slug: 'too-late', name: '' }).execute();
    });
    await expect(sleeper).rejects.toMatchObject({ name: 'DbError' });
    expect(await listSlugs()).toEqual(['kept']);
  });

  if (kind === 'embedded') return;

  test('after the server has terminated all sessions, as in a restart, new statements work', async () => {
    const { db } = database;
    const stranded = db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'stranded', name: '' }).execute();
      await listSlugs();
      await endConnections(db);
      await tx.insertInto('site').values({ slug: 'stray', name: '' }).execute();
    });
    await expect(stranded).rejects.toSatisfy((error) =>
      ['08006', '57P01'].includes(getDbError(error)?.code ?? ''),
    );
    // A connection of the pool may still have to read that it was closed.
    const slugs = await vi.waitFor(listSlugs, { timeout: 20_000 });
    expect(slugs.filter((slug) => slug.startsWith('stra'))).toEqual([]);
  });

  test('a server that stops responding is a lost connection, which is replaced', async () => {
    const server = new URL(testDatabase.databaseUrl ?? '');
    const sockets: Socket[] = [];
    const relay = createServer((clientSocket) => {
      const serverSocket = connect(Number(server.port || 5432), server.hostname);
      clientSocket.on('error', () => serverSocket.destroy()).pipe(serverSocket);
      serverSocket.on('error', () => clientSocket.destroy()).pipe(clientSocket);
      sockets.push(clientSocket, serverSocket);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const address = relay.address();
    const url = new URL(server);
    url.host = `127.0.0.1:${address !== null && typeof address === 'object' ? address.port : ''}`;
    const relayed = await openDatabase({
      ...testDatabase,
      databaseUrl: url.href,
      limits: { statementMs: 200 },
    });
    await relayed.ping();
    for (const socket of sockets) socket.pause();
    await expect(relayed.ping()).rejects.toMatchObject({ code: '08006' });
    await relayed.ping();
    await relayed.close();
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
});

test('the timeout error names a root connection used inside a transaction as the likely cause', async () => {
  const testDatabase = await createTestDatabase('embedded');
  const { db, close } = await openDatabase({ ...testDatabase, limits: { waitMs: 300 } });
  const stuck = db.transaction().execute(() => sql`select 1`.execute(db));
  await expect(stuck).rejects.toThrow(/root connection inside a transaction/);
  expect((await sql`select 1 as ok`.execute(db)).rows).toEqual([{ ok: 1 }]);
  await close();
  await testDatabase.remove();
});
