import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Kysely, type RawBuilder, sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { databaseUrl } from '../../testing/cluster.ts';
import { onEachDatabase } from '../../testing/databases.ts';
import { readsUntil } from './database.ts';
import { type Line, lineDialect } from './dialect.ts';
import { usualLimits } from './limits.ts';
import { openPostgres } from './postgres.ts';

const endless = sql`select count(*) as endless from generate_series(1, 100000000000) as n where n % 7 = 8`;

/** The process of the server behind a line. */
const serving = async (line: Line) => (await line.run('select pg_backend_pid() as id', [])).rows[0]?.['id'];

/**
 * A server in between that lets so many connections through, and leaves those behind them without an answer; one on which
 * anything is ended breaks.
 */
async function passing(most: number): Promise<{ url: string; close: () => void }> {
  const { hostname, port, href } = new URL(databaseUrl('postgres'));
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

test('who goes while there is no line in time is none whom the database failed', async () => {
  const gone = new AbortController();
  const source = {
    acquire: () => {
      gone.abort();
      return Promise.reject<Line>(new Error('timeout exceeded when trying to connect'));
    },
    close: () => Promise.resolve(),
  };
  const read = sql`select 1`.execute(new Kysely({ dialect: lineDialect(source, gone.signal) }));
  await expect(read).rejects.toMatchObject({ code: '57U00' });
});

onEachDatabase((database) => {
  const running = async (part: string): Promise<number> => {
    const { rows } = await sql<{
      n: number;
    }>`select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()
      and datname = current_database() and query like ${`%${part}%`}`.execute(database().db);
    return rows[0]?.n ?? 0;
  };
  const isRunning = (part: string, times: number) =>
    vi.waitFor(async () => expect(await running(part)).toBe(times), { timeout: 20_000, interval: 20 });

  test('what nobody waits for is not begun', async () => {
    const { db } = database();
    const gone = new AbortController();
    const reads = readsUntil(db, gone.signal);
    expect((await sql`select 1 as one`.execute(reads)).rows).toEqual([{ one: 1 }]);
    gone.abort();
    await expect(endless.execute(reads)).rejects.toMatchObject({ code: '57U00' });
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  test('a transaction comes to its end, whoever waits for it', async () => {
    const gone = new AbortController();
    await readsUntil(database().db, gone.signal)
      .transaction()
      .execute(async (tx) => {
        gone.abort();
        await tx.insertInto('site').values({ slug: 'written', name: '' }).execute();
      });
    const sites = await database().db.selectFrom('site').select('slug').execute();
    expect(sites).toEqual([{ slug: 'written' }]);
  });

  test('a transaction that only reads is ended, and leaves its connection as it was', async () => {
    const { db } = database();
    const gone = new AbortController();
    const read = readsUntil(db, gone.signal)
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        gone.abort();
        await sql`select 1`.execute(tx);
      });
    await expect(read).rejects.toMatchObject({ code: '57U00' });
    const { rows } = await sql`select current_setting('transaction_read_only') as reads`.execute(db);
    expect(rows).toEqual([{ reads: 'off' }]);
  });

  test('a transaction is none to begin reads in that end by themselves', () =>
    database()
      .db.transaction()
      .execute(async (tx) =>
        expect(() => readsUntil(tx, new AbortController().signal)).toThrow('Within a transaction'),
      ));

  test('a statement is ended on PostgreSQL when nobody waits for it, also where the pool is full of them', async () => {
    if (database().kind === 'embedded') return;
    const callers = Array.from({ length: 9 }, () => new AbortController());
    const reads = callers.map(({ signal }) =>
      expect(endless.execute(readsUntil(database().db, signal))).rejects.toMatchObject({ code: '57U00' }),
    );
    await isRunning('endless', 9);
    callers[0]?.abort();
    await reads[0];
    await isRunning('endless', 8);
    for (const caller of callers) caller.abort();
    await Promise.all(reads);
    await isRunning('endless', 0);
  });

  test.each([
    ['cannot be told gives its line back', 1, true],
    ['may have been told gives its line to nobody else', 99, false],
  ])('a statement of which the server %s, at its end', async (_name, most, isSame) => {
    if (database().kind === 'embedded') return;
    const server = await passing(most);
    const source = openPostgres(server.url, usualLimits, 1);
    try {
      const gone = new AbortController();
      const line = await source.acquire();
      const before = await serving(line);
      const run = line.run('select pg_sleep(0.2)', [], gone.signal);
      gone.abort();
      expect(await run).toMatchObject({ command: 'SELECT' });
      line.release(false);
      const next = await source.acquire();
      expect((await serving(next)) === before).toBe(isSame);
      next.release(false);
    } finally {
      server.close();
      await source.close();
    }
  });

  test('whoever has the connection next is not ended in place of who had it before', async () => {
    if (database().kind === 'embedded') return;
    const { db } = database();
    const outcomes: PromiseSettledResult<unknown>[] = [];
    const short: RawBuilder<unknown> = sql`select count(*) from generate_series(1, 3000)`;
    for (let round = 0; round < 60; round += 1) {
      const gone = new AbortController();
      const read = short.execute(readsUntil(db, gone.signal)).catch(() => {});
      for (let turn = 0; turn < round % 6; turn += 1) await new Promise(setImmediate);
      gone.abort();
      const next = read.then(() => sql`select pg_sleep(0.005)`.execute(db));
      outcomes.push(...(await Promise.allSettled([next])));
    }
    expect(outcomes.filter(({ status }) => status !== 'fulfilled')).toEqual([]);
  });
});
