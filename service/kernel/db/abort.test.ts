import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Kysely, type RawBuilder, sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { endlessQuery, onEachDatabase } from '../../testing/databases.ts';
import { getDatabaseUrl } from '../../testing/servers/cluster.ts';
import { withAbortSignal } from './database.ts';
import { type Connection, createDialect, DEFAULT_LIMITS } from './driver/dialect.ts';
import { openPostgres } from './driver/postgres.ts';

/** Process id of the server behind a connection. */
const getBackendId = async (connection: Connection) =>
  (await connection.run('select pg_backend_pid() as id', [])).rows[0]?.['id'];

/**
 * A proxy to the server that forwards the first `most` connections and never answers further ones. A connection on which a cancel
 * request is sent breaks.
 */
async function startProxy(most: number): Promise<{ url: string; close: () => void }> {
  const { hostname, port, href } = new URL(getDatabaseUrl('postgres'));
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
    if (sockets.length > most) return;
    const through = connect(Number(port), hostname);
    through.on('error', () => {});
    socket.on('data', (sent) => {
      if (!sent.includes('pg_cancel_backend')) return;
      through.destroy();
      socket.destroy();
    });
    socket.pipe(through).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(href);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, close };
}

test('an abort while waiting for a connection is reported as aborted, not as a database error', async () => {
  const controller = new AbortController();
  const source = {
    acquire: () => {
      controller.abort();
      return Promise.reject<Connection>(new Error('timeout exceeded when trying to connect'));
    },
    close: () => Promise.resolve(),
  };
  const read = sql`select 1`.execute(
    new Kysely({ dialect: createDialect(source, { signal: controller.signal }) }),
  );
  await expect(read).rejects.toMatchObject({ code: '57U00' });
});

onEachDatabase((database) => {
  const countRunning = async (part: string): Promise<number> => {
    const { rows } = await sql<{
      n: number;
    }>`select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()
      and datname = current_database() and query like ${`%${part}%`}`.execute(database().db);
    return rows[0]?.n ?? 0;
  };
  const waitUntilRunning = (part: string, times: number) =>
    vi.waitFor(async () => expect(await countRunning(part)).toBe(times), { timeout: 20_000, interval: 20 });

  test('after the abort no statement starts', async () => {
    const { db } = database();
    const controller = new AbortController();
    const reads = withAbortSignal(db, controller.signal);
    expect((await sql`select 1 as one`.execute(reads)).rows).toEqual([{ one: 1 }]);
    controller.abort();
    await expect(endlessQuery.execute(reads)).rejects.toMatchObject({ code: '57U00' });
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  test('a transaction that may write ignores the abort', async () => {
    const controller = new AbortController();
    await withAbortSignal(database().db, controller.signal)
      .transaction()
      .execute(async (tx) => {
        controller.abort();
        await tx.insertInto('site').values({ slug: 'written', name: '' }).execute();
      });
    const sites = await database().db.selectFrom('site').select('slug').execute();
    expect(sites).toEqual([{ slug: 'written' }]);
  });

  test('a read-only transaction is aborted and leaves the connection usable', async () => {
    const { db } = database();
    const controller = new AbortController();
    const read = withAbortSignal(db, controller.signal)
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        controller.abort();
        await sql`select 1`.execute(tx);
      });
    await expect(read).rejects.toMatchObject({ code: '57U00' });
    const { rows } = await sql`select current_setting('transaction_read_only') as reads`.execute(db);
    expect(rows).toEqual([{ reads: 'off' }]);
  });

  test('a transaction takes no abort signal', () =>
    database()
      .db.transaction()
      .execute(async (tx) =>
        expect(() => withAbortSignal(tx, new AbortController().signal)).toThrow('Within a transaction'),
      ));

  test('the abort cancels running statements on PostgreSQL, also when they use the whole pool', async () => {
    if (database().kind === 'embedded') return;
    const callers = Array.from({ length: 9 }, () => new AbortController());
    const reads = callers.map(({ signal }) =>
      expect(endlessQuery.execute(withAbortSignal(database().db, signal))).rejects.toMatchObject({
        code: '57U00',
      }),
    );
    await waitUntilRunning('endless', 9);
    callers[0]?.abort();
    await reads[0];
    await waitUntilRunning('endless', 8);
    for (const caller of callers) caller.abort();
    await Promise.all(reads);
    await waitUntilRunning('endless', 0);
  });

  test.each([
    ['gets no cancel request releases its connection', 1, true],
    ['may get a late cancel request discards its connection', 99, false],
  ])('after an abort a statement whose server %s', async (_name, maxConnections, isSame) => {
    if (database().kind === 'embedded') return;
    const server = await startProxy(maxConnections);
    const source = openPostgres(server.url, DEFAULT_LIMITS, { maxConnections: 1 });
    try {
      const controller = new AbortController();
      const connection = await source.acquire();
      const before = await getBackendId(connection);
      const run = connection.run('select pg_sleep(0.2)', [], controller.signal);
      controller.abort();
      expect(await run).toMatchObject({ command: 'SELECT' });
      connection.release(false);
      const next = await source.acquire();
      expect((await getBackendId(next)) === before).toBe(isSame);
      next.release(false);
    } finally {
      server.close();
      await source.close();
    }
  });

  test('a cancel request never hits the next statement on the connection', async () => {
    if (database().kind === 'embedded') return;
    const { db } = database();
    const outcomes: PromiseSettledResult<unknown>[] = [];
    const short: RawBuilder<unknown> = sql`select count(*) from generate_series(1, 3000)`;
    for (let round = 0; round < 60; round += 1) {
      const controller = new AbortController();
      const read = short.execute(withAbortSignal(db, controller.signal)).catch(() => {});
      for (let turn = 0; turn < round % 6; turn += 1) await new Promise(setImmediate);
      controller.abort();
      const next = read.then(() => sql`select pg_sleep(0.005)`.execute(db));
      outcomes.push(...(await Promise.allSettled([next])));
    }
    expect(outcomes.filter(({ status }) => status !== 'fulfilled')).toEqual([]);
  });
});
