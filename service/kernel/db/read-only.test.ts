import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { recordRoundTrips } from '../../testing/measures/round-trips.ts';
import { assume, withAbortSignal, withReadOnly, withTransaction } from './database.ts';

onEachDatabase((database) => {
  const insert = sql`insert into throttle (key, count, window_started_at) values ('read-only', 1, now())`;
  const countRows = async () => (await sql`select from throttle`.execute(database().db)).rows.length;

  test('every statement that writes is refused, in a transaction, behind a function and after switching back', async () => {
    const db = withReadOnly(database().db);
    const writes = [
      () => insert.execute(db),
      () => withTransaction(db, {}, (tx) => insert.execute(tx)),
      () =>
        db
          .transaction()
          .setAccessMode('read write')
          .execute((tx) => insert.execute(tx)),
      () => sql`with w as (${insert} returning key) select key from w`.execute(db),
      () => sql`select nextval(pg_get_serial_sequence('account', 'user_id'))`.execute(db),
      () =>
        sql`select site_id from site for update`.execute(withAbortSignal(db, AbortSignal.timeout(60_000))),
      () =>
        assume(db, sql`select 1`, () => true)
          .db.transaction()
          .execute((tx) => insert.execute(tx)),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: '25006' });
    const switchBack = withTransaction(db, {}, async (tx) => {
      await sql`select 1`.execute(tx);
      await sql`set transaction read write`.execute(tx);
    });
    await expect(switchBack).rejects.toMatchObject({ code: '25001' });
    expect(await countRows()).toBe(0);
  });

  test('reading takes one round trip, and the connection can write afterwards', async () => {
    const db = withReadOnly(database().db);
    const trips = await recordRoundTrips(async () => {
      const { rows } = await sql`select 1 as one`.execute(db);
      expect(rows).toEqual([{ one: 1 }]);
    });
    expect(trips).toHaveLength(1);
    await expect(sql`select 1 / 0`.execute(db)).rejects.toMatchObject({ code: '22012' });
    await insert.execute(database().db);
    expect(await countRows()).toBe(1);
  });
});
