import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { executeLater, onCommit, sendEarly, withTransaction } from './database.ts';
import { DbError } from './driver/errors.ts';

const insert = (key: string) =>
  sql`insert into throttle (key, count, window_started_at) values (${key}, 0, now())`;
const createSerializationError = () => new DbError('could not serialize access', { code: '40001' });

onEachDatabase((database) => {
  test('a statement whose own commit fails is refused, although the database has sent its result', async () => {
    const { db } = database();
    await sql`create table tree (id int primary key, parent int references tree deferrable initially deferred)`.execute(
      db,
    );
    await expect(sql`insert into tree values (1, 2)`.execute(db)).rejects.toMatchObject({ code: '23503' });
    expect((await sql`select * from tree`.execute(db)).rows).toEqual([]);
    await sql`drop table tree`.execute(db);
  });

  test('transactions that lock the same site see each other (no write skew)', async () => {
    const { db } = database();
    const start = new Date();
    const keys = ['left', 'right'];
    await db
      .insertInto('throttle')
      .values(keys.map((key) => ({ key, count: 1, window_started_at: start })))
      .execute();
    // Each removes its row only while both exist; in parallel both would remove theirs (write skew).
    const leave = (key: string) =>
      withTransaction(db, { lockedSiteId: 1 }, async (tx) => {
        const present = await tx.selectFrom('throttle').select('key').where('count', '>', 0).execute();
        if (present.length < 2) return 'stayed';
        await tx.updateTable('throttle').set({ count: 0 }).where('key', '=', key).execute();
        return 'left';
      });
    for (let round = 0; round < 10; round += 1) {
      await db.updateTable('throttle').set({ count: 1 }).execute();
      expect((await Promise.all(keys.map(leave))).toSorted()).toEqual(['left', 'stayed']);
    }
  });

  test('a transaction is retried after a deadlock', async () => {
    const { db } = database();
    const start = new Date();
    await db
      .insertInto('throttle')
      .values(['p', 'q'].map((key) => ({ key, count: 0, window_started_at: start })))
      .execute();
    const countUp = (keys: string[]) =>
      withTransaction(db, {}, async (tx) => {
        for (const key of keys) {
          await tx
            .updateTable('throttle')
            .set((eb) => ({ count: eb('count', '+', 1) }))
            .where('key', '=', key)
            .execute();
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });
    await Promise.all([countUp(['p', 'q']), countUp(['q', 'p'])]);
    const counts = await db.selectFrom('throttle').select('count').where('key', 'in', ['p', 'q']).execute();
    expect(counts).toEqual([{ count: 2 }, { count: 2 }]);
  });

  test('serialization failures are retried six times, other errors not at all', async () => {
    let calls = 0;
    const failing = (error: Error) =>
      withTransaction(database().db, {}, async () => {
        calls += 1;
        throw error;
      });
    await expect(failing(createSerializationError())).rejects.toMatchObject({ code: '40001' });
    expect(calls).toBe(6);
    calls = 0;
    await expect(failing(new Error('no'))).rejects.toThrow('no');
    expect(calls).toBe(1);
  });

  test('tells of its commit once, and never of a rollback or of an attempt that is repeated', async () => {
    const { db } = database();
    const committed: number[] = [];
    let attempts = 0;
    const run = (fails: (attempt: number) => Error | undefined) =>
      withTransaction(db, {}, async (tx) => {
        attempts += 1;
        const attempt = attempts;
        const listener = () => void committed.push(attempt);
        for (let times = 0; times < 2; times += 1) onCommit(tx, listener);
        const error = fails(attempt);
        if (error) throw error;
        expect(committed).toEqual([]);
      });
    await expect(run(() => new Error('no'))).rejects.toThrow('no');
    expect(committed).toEqual([]);
    await run((attempt) => (attempt < 3 ? createSerializationError() : undefined));
    expect(committed).toEqual([3]);
    await expect(db.transaction().execute(async (tx) => onCommit(tx, () => {}))).rejects.toThrow(
      /withTransaction/,
    );
  });

  test('statements sent early are executed once, and an error of them fails what follows and the commit', async () => {
    const { db } = database();
    const count = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from throttle where key like 'early%'`.execute(db))
        .rows[0]?.n;
    await withTransaction(db, {}, async (tx) => {
      executeLater(insert('early 1'), tx);
      await sendEarly(tx);
      executeLater(insert('early 2'), tx);
      await insert('early 3').execute(tx);
    });
    expect(await count()).toBe(3);
    const duplicate = { code: '23505' };
    for (const finish of [
      async () => {},
      async (run: () => Promise<unknown>) => {
        await run();
      },
      // The error stays when the first statement that meets it is tried again.
      async (run: () => Promise<unknown>) => {
        await expect(run()).rejects.toMatchObject(duplicate);
        await run();
      },
    ])
      await expect(
        withTransaction(db, {}, async (tx) => {
          executeLater(insert('early 4'), tx);
          executeLater(insert('early 1'), tx);
          await sendEarly(tx);
          await finish(() => insert('early 5').execute(tx));
        }),
      ).rejects.toMatchObject(duplicate);
    expect(await count()).toBe(3);
    // A failure that passes starts the transaction again.
    let attempts = 0;
    await withTransaction(db, {}, async (tx) => {
      attempts += 1;
      if (attempts > 1) return;
      executeLater(sql`do $$ begin raise serialization_failure; end $$`, tx);
      await sendEarly(tx);
    });
    expect(attempts).toBe(2);
  });
});
