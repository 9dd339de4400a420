import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { ofEveryRequest } from './prepared.ts';

onEachDatabase((database) => {
  const one = async (expression: ReturnType<typeof sql>): Promise<unknown> => {
    const { rows } = await sql<{ it: unknown }>`select ${expression} as it`.execute(database().db);
    return rows[0]?.it;
  };

  test('values are read alike', async () => {
    expect(await one(sql`9007199254740991::int8`)).toBe(9_007_199_254_740_991);
    expect(await one(sql`(select count(*) from generate_series(1, 7))`)).toBe(7);
    expect(await one(sql`array[1, null, 3]::int8[]`)).toEqual([1, null, 3]);
    expect(await one(sql`12.340::numeric`)).toBe('12.340');
    expect(await one(sql`1.5::float8`)).toBe(1.5);
    expect(await one(sql`true`)).toBe(true);
    expect(await one(sql`null::int`)).toBeNull();
    expect(await one(sql`date '2026-03-29'`)).toBe('2026-03-29');
    expect(await one(sql`timestamptz '2026-03-29 01:30:00.123+02'`)).toEqual(
      new Date('2026-03-28T23:30:00.123Z'),
    );
    expect(await one(sql`'{"a": [1, null]}'::jsonb`)).toEqual({ a: [1, null] });
    expect(await one(sql`array['a"b', 'c\\d', 'NULL', '']`)).toEqual(['a"b', 'c\\d', 'NULL', '']);
    const bytes = await one(sql`'\\x00ff10'::bytea`);
    expect(bytes).toBeInstanceOf(Buffer);
    expect(bytes).toEqual(Buffer.from([0, 255, 16]));
    expect(await one(sql`inet '10.0.0.0/8'`)).toBe('10.0.0.0/8');
    expect(await one(sql`current_setting('TimeZone')`)).toBe('UTC');
  });

  test('parameters arrive alike', async () => {
    const at = new Date('2026-11-01T10:20:30.456Z');
    expect(await one(sql`${at}::timestamptz`)).toEqual(at);
    expect(await one(sql`${Buffer.from([1, 0, 255])}::bytea`)).toEqual(Buffer.from([1, 0, 255]));
    expect(await one(sql`${[1, 2]}::int[]`)).toEqual([1, 2]);
    const words = ['', 'NULL', 'a,b', '{c}', '"d"', 'e\\f', 'é\n', '\ufeffg'];
    expect(await one(sql`${'\ufeff\ufeffx'}::text`)).toBe('\ufeff\ufeffx');
    expect(await one(sql`${words}::text[]`)).toEqual(words);
    expect(await one(sql`${[]}::text[]`)).toEqual([]);
    expect(await one(sql`${JSON.stringify([1, 'x'])}::jsonb`)).toEqual([1, 'x']);
    expect(await one(sql`${{ a: 'b' }}::jsonb`)).toEqual({ a: 'b' });
    expect(await one(sql`${5}::text`)).toBe('5');
    expect(await one(sql`${false}::boolean`)).toBe(false);
    expect(await one(sql`${undefined}::int`)).toBeNull();
    expect(await one(sql`${9_007_199_254_740_991n}::int8`)).toBe(9_007_199_254_740_991);
  });

  test('the count of written rows is told', async () => {
    const { db } = database();
    const start = new Date();
    const row = (key: string) => ({ key, count: 1, window_started_at: start });
    const inserted = await db
      .insertInto('throttle')
      .values([row('a'), row('b')])
      .executeTakeFirstOrThrow();
    expect(inserted.numInsertedOrUpdatedRows).toBe(2n);
    const updated = await db
      .updateTable('throttle')
      .set({ count: 2 })
      .where('key', '=', 'a')
      .executeTakeFirstOrThrow();
    expect(updated.numUpdatedRows).toBe(1n);
    const deleted = await db.deleteFrom('throttle').executeTakeFirstOrThrow();
    expect(deleted.numDeletedRows).toBe(2n);
  });

  test('a statement whose plan is kept sees what is new, also in the shape of a table', async () => {
    const { db } = database();
    const count = async (key: string) => {
      const { rows } = await sql<{ count: number }>`${ofEveryRequest}
        select count from throttle where key = ${key}`.execute(db);
      return rows[0]?.count;
    };
    const keys = Array.from({ length: 12 }, (_, at) => `plan ${at}`);
    for (const [at, key] of keys.entries()) {
      // oxlint-disable no-await-in-loop -- one after the other, so that a plan is kept
      expect(await count(key)).toBeUndefined();
      await sql`insert into throttle (key, count, window_started_at) values (${key}, ${at}, now())`.execute(
        db,
      );
      expect(await count(key)).toBe(at);
      // oxlint-enable no-await-in-loop
    }
    await sql`create index throttle_for_a_while on throttle (count)`.execute(db);
    expect(await count('plan 7')).toBe(7);
    await sql`drop index throttle_for_a_while`.execute(db);
    expect(await count('plan 11')).toBe(11);
    await sql`delete from throttle`.execute(db);
  });

  test('a failed statement swallowed inside a transaction cannot pass as a commit', async () => {
    const { db } = database();
    const attempt = db.transaction().execute(async (tx) => {
      await tx
        .insertInto('throttle')
        .values({ key: 'lost', count: 1, window_started_at: new Date() })
        .execute();
      await sql`select 1 / 0`.execute(tx).catch(() => {});
    });
    await expect(attempt).rejects.toMatchObject({ code: '25P02' });
    expect(await db.selectFrom('throttle').selectAll().execute()).toEqual([]);
  });

  test('many calls at once all get their own answer', async () => {
    const { db } = database();
    const asked = Array.from({ length: 200 }, (_, index) => index);
    const answers = await Promise.all(
      asked.map((index) => sql<{ n: number }>`select ${index}::int as n`.execute(db)),
    );
    expect(answers.map(({ rows }) => rows[0]?.n)).toEqual(asked);
  });
});
