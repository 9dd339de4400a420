import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onCluster } from '../../testing/cluster.ts';
import { newPlace, onEachKind, type Place } from '../../testing/databases.ts';
import { type Database, openDatabase } from './database.ts';
import { dbErrorOf } from './errors.ts';

const endless = sql`select count(*) from generate_series(1, 100000000000) as n where n % 7 = 8`;

onEachKind((kind) => {
  let place: Place;
  let database: Database;

  beforeAll(async () => {
    place = await newPlace(kind);
    database = await openDatabase({ ...place, limits: { statementMs: 800, waitMs: 5_000, idleMs: 600 } });
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  const names = async () => {
    const rows = await database.db.selectFrom('site').select('slug').orderBy('slug').execute();
    return rows.map(({ slug }) => slug);
  };

  test('a statement over the limit ends, the others get their answers, nothing acknowledged is lost', async () => {
    const { db } = database;
    await db.insertInto('site').values({ slug: 'kept', name: '' }).execute();
    const outcomes = await Promise.allSettled([endless.execute(db), names(), names()]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: { code: '57014' } });
    expect(outcomes.slice(1)).toEqual([
      { status: 'fulfilled', value: ['kept'] },
      { status: 'fulfilled', value: ['kept'] },
    ]);
  });

  test('a transaction that overran is gone as a whole', async () => {
    const overrun = database.db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'gone', name: '' }).execute();
      await endless.execute(tx).catch(() => {});
      // On the embedded database this must not run alone in the session that replaced the ended one.
      await tx.insertInto('site').values({ slug: 'stray', name: '' }).execute();
    });
    await expect(overrun).rejects.toMatchObject({ name: 'DbError' });
    expect(await names()).toEqual(['kept']);
  });

  test('a transaction that falls asleep is rolled back and lets the others pass', async () => {
    const sleeper = database.db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'asleep', name: '' }).execute();
      const others = names();
      await new Promise((resolve) => setTimeout(resolve, 900));
      expect(await others).toEqual(['kept']);
      await tx.insertInto('site').values({ slug: 'too-late', name: '' }).execute();
    });
    await expect(sleeper).rejects.toMatchObject({ name: 'DbError' });
    expect(await names()).toEqual(['kept']);
  });

  if (kind === 'embedded') return;

  test('a server that ends every session, as at its restart, is told and asked anew', async () => {
    const { db } = database;
    const stranded = db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'stranded', name: '' }).execute();
      await names();
      await onCluster(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${new URL(place.databaseUrl ?? '').pathname.slice(1)}'`,
      );
      await tx.insertInto('site').values({ slug: 'stray', name: '' }).execute();
    });
    await expect(stranded).rejects.toSatisfy((error) =>
      ['08006', '57P01'].includes(dbErrorOf(error)?.code ?? ''),
    );
    const kept = await names();
    expect(kept.filter((slug) => slug.startsWith('stra'))).toEqual([]);
  });

  test('a server that falls silent is given up, and its connection with it', async () => {
    const server = new URL(place.databaseUrl ?? '');
    const sockets: Socket[] = [];
    const relay = createServer((near) => {
      const far = connect(Number(server.port || 5432), server.hostname);
      near.on('error', () => far.destroy()).pipe(far);
      far.on('error', () => near.destroy()).pipe(near);
      sockets.push(near, far);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const address = relay.address();
    const url = new URL(server);
    url.host = `127.0.0.1:${address !== null && typeof address === 'object' ? address.port : ''}`;
    const relayed = await openDatabase({ ...place, databaseUrl: url.href, limits: { statementMs: 200 } });
    await relayed.ping();
    for (const socket of sockets) socket.pause();
    await expect(relayed.ping()).rejects.toMatchObject({ code: '08006' });
    await relayed.ping();
    await relayed.close();
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
});

test('the root connection used inside a transaction is named as the likely cause', async () => {
  const place = await newPlace('embedded');
  const { db, close } = await openDatabase({ ...place, limits: { waitMs: 300 } });
  const stuck = db.transaction().execute(() => sql`select 1`.execute(db));
  await expect(stuck).rejects.toThrow(/root connection inside a transaction/);
  expect((await sql`select 1 as ok`.execute(db)).rows).toEqual([{ ok: 1 }]);
  await close();
  await place.remove();
});
