import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { recordRoundTrips } from '../../testing/measures/round-trips.ts';
import { assume, executeLater, readInSnapshot, withTransaction } from './database.ts';

onEachDatabase((database) => {
  const assumeIs = (isTrue: boolean) =>
    assume(database().db, sql<{ it: boolean }>`select ${isTrue}::boolean as it`, ([row]) => row?.it === true);
  const insert = sql`insert into throttle (key, count, window_started_at) values ('assumed', 1, now())`;
  const countRows = async () => {
    const { rows } = await sql`select from throttle`.execute(database().db);
    return rows.length;
  };
  const readTime = async () => {
    const { rows } = await sql<{ time: string; isReadOnly: string }>`
      select now()::text as time, current_setting('transaction_read_only') as "isReadOnly"`.execute(
      database().db,
    );
    return rows[0];
  };

  test('what only reads is sent with the confirming statement, in a snapshot as well', async () => {
    const alone = assumeIs(true);
    const sent = await recordRoundTrips(async () => {
      const { rows } = await sql`select 1 as one`.execute(alone.db);
      expect(rows).toEqual([{ one: 1 }]);
      expect(await alone.isConfirmed()).toBe(true);
      await readInSnapshot(assumeIs(true).db, (tx) => sql`select 2 as two`.execute(tx));
    });
    expect(sent.map((texts) => texts.length)).toEqual([2, 3, 1]);
  });

  test('when the assumption is false no statement is answered, and none that writes is executed', async () => {
    const assuming = assumeIs(false);
    const { db } = assuming;
    const outcomes = await Promise.allSettled([
      sql`select 1`.execute(db),
      insert.execute(db),
      db.transaction().execute((tx) => insert.execute(tx)),
      readInSnapshot(db, (tx) => sql`select 1`.execute(tx)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
    expect(await assuming.isConfirmed()).toBe(false);
    expect(await countRows()).toBe(0);
    // No transaction has remained open: within one, both statements would have the same time.
    const first = await readTime();
    const second = await readTime();
    expect(second?.time).not.toBe(first?.time);
    expect(second?.isReadOnly).toBe('off');
  });

  test.each([true, false])('a transaction starts with the confirming statement (%j)', async (isTrue) => {
    const { db } = assumeIs(isTrue);
    const write = () => withTransaction(db, {}, (tx) => insert.execute(tx));
    const sent = await recordRoundTrips(() => write().catch(() => {}));
    expect(sent.map((texts) => texts.length)).toEqual([3, 1]);
    expect(await countRows()).toBe(isTrue ? 1 : 0);
    await sql`delete from throttle`.execute(database().db);
  });

  test('nothing is committed in the message of the confirming statement', async () => {
    const { db } = assumeIs(false);
    const write = withTransaction(db, {}, async (tx) => executeLater(insert, tx));
    await expect(write).rejects.toBeInstanceOf(Error);
    expect(await countRows()).toBe(0);
  });

  test('a write is sent after the confirmation', async () => {
    const { db } = assumeIs(true);
    const sent = await recordRoundTrips(() => insert.execute(db));
    expect(sent.map((texts) => texts.length)).toEqual([1, 1]);
    expect(await countRows()).toBe(1);
    await sql`delete from throttle`.execute(database().db);
  });

  test('the confirmation does not wait for a statement that waits for it', async () => {
    const assuming = assumeIs(true);
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = database()
      .db.connection()
      .execute(async (connection) => {
        await sql`select 1`.execute(connection);
        held.resolve();
        await released.promise;
      });
    await held.promise;
    // The embedded database has one connection, for which a statement of a request that has ended may still wait.
    const late = sql`select 2 as two`.execute(assuming.db);
    const confirmed = assuming.isConfirmed();
    released.resolve();
    await holding;
    expect(await confirmed).toBe(true);
    expect((await late).rows).toEqual([{ two: 2 }]);
  });

  test('an assumption is checked without any statement, and an error of its check is thrown', async () => {
    expect(await assumeIs(false).isConfirmed()).toBe(false);
    const failing = assume(database().db, sql`select 1 / 0`, () => true);
    await expect(sql`select 1`.execute(failing.db)).rejects.toMatchObject({ code: '22012' });
    await expect(failing.isConfirmed()).rejects.toMatchObject({ code: '22012' });
  });
});
