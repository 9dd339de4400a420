import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../../testing/databases.ts';
import { executeAsBytes } from './dialect.ts';

onEachDatabase((database) => {
  const selectValue = async (expression: ReturnType<typeof sql>): Promise<unknown> => {
    const { rows } = await sql<{ it: unknown }>`select ${expression} as it`.execute(database().db);
    return rows[0]?.it;
  };

  test('values are decoded the same on both databases', async () => {
    expect(await selectValue(sql`9007199254740991::int8`)).toBe(9_007_199_254_740_991);
    expect(await selectValue(sql`(select count(*) from generate_series(1, 7))`)).toBe(7);
    expect(await selectValue(sql`array[1, null, 3]::int8[]`)).toEqual([1, null, 3]);
    expect(await selectValue(sql`12.340::numeric`)).toBe('12.340');
    expect(await selectValue(sql`1.5::float8`)).toBe(1.5);
    expect(await selectValue(sql`true`)).toBe(true);
    expect(await selectValue(sql`null::int`)).toBeNull();
    expect(await selectValue(sql`date '2026-03-29'`)).toBe('2026-03-29');
    expect(await selectValue(sql`timestamptz '2026-03-29 01:30:00.123+02'`)).toEqual(
      new Date('2026-03-28T23:30:00.123Z'),
    );
    expect(await selectValue(sql`'{"a": [1, null]}'::jsonb`)).toEqual({ a: [1, null] });
    expect(await selectValue(sql`array['a"b', 'c\\d', 'NULL', '']`)).toEqual(['a"b', 'c\\d', 'NULL', '']);
    const bytes = await selectValue(sql`'\\x00ff10'::bytea`);
    expect(bytes).toBeInstanceOf(Buffer);
    expect(bytes).toEqual(Buffer.from([0, 255, 16]));
    expect(await selectValue(sql`inet '10.0.0.0/8'`)).toBe('10.0.0.0/8');
    expect(await selectValue(sql`current_setting('TimeZone')`)).toBe('UTC');
  });

  test('texts of a result are read as bytes where that is asked for, other values as usual', async () => {
    const { db } = database();
    const long = 'x"é\u{1f600}'.repeat(20_000);
    for (let execution = 0; execution < 4; execution += 1) {
      const { rows } = await executeAsBytes(
        sql`select ${long}::text as long, ''::text as empty, null::text as missing, 7::int8 as count, array['a'] as list`,
        db,
      );
      expect(rows).toEqual([
        {
          long: new TextEncoder().encode(long),
          empty: new Uint8Array(),
          missing: null,
          count: 7,
          list: ['a'],
        },
      ]);
    }
    // The same statement without the wish.
    expect(await selectValue(sql`'x'::text`)).toBe('x');
  });

  test('parameters are encoded the same on both databases', async () => {
    const at = new Date('2026-11-01T10:20:30.456Z');
    expect(await selectValue(sql`${at}::timestamptz`)).toEqual(at);
    expect(await selectValue(sql`${Buffer.from([1, 0, 255])}::bytea`)).toEqual(Buffer.from([1, 0, 255]));
    expect(await selectValue(sql`${[1, 2]}::int[]`)).toEqual([1, 2]);
    const words = ['', 'NULL', 'a,b', '{c}', '"d"', 'e\\f', 'é\n', '\ufeffg'];
    expect(await selectValue(sql`${'\ufeff\ufeffx'}::text`)).toBe('\ufeff\ufeffx');
    expect(await selectValue(sql`${words}::text[]`)).toEqual(words);
    expect(await selectValue(sql`${[]}::text[]`)).toEqual([]);
    expect(await selectValue(sql`${JSON.stringify([1, 'x'])}::jsonb`)).toEqual([1, 'x']);
    expect(await selectValue(sql`${{ a: 'b' }}::jsonb`)).toEqual({ a: 'b' });
    expect(await selectValue(sql`${5}::text`)).toBe('5');
    expect(await selectValue(sql`${false}::boolean`)).toBe(false);
    expect(await selectValue(sql`${undefined}::int`)).toBeNull();
    expect(await selectValue(sql`${9_007_199_254_740_991n}::int8`)).toBe(9_007_199_254_740_991);
  });

  test('the number of written rows is returned', async () => {
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

  test('a prepared statement sees new rows and changes of the schema', async () => {
    const { db } = database();
    const count = async (key: string) => {
      const query = sql<{ count: number }>`
        select count from throttle where key = ${key}`;
      const { rows } = await query.execute(db);
      return rows[0]?.count;
    };
    const keys = Array.from({ length: 12 }, (_, at) => `plan ${at}`);
    for (const [at, key] of keys.entries()) {
      // The plan is reused only in sequence.
      expect(await count(key)).toBeUndefined();
      await sql`insert into throttle (key, count, window_started_at) values (${key}, ${at}, now())`.execute(
        db,
      );
      expect(await count(key)).toBe(at);
    }
    await sql`create index throttle_for_a_while on throttle (count)`.execute(db);
    expect(await count('plan 7')).toBe(7);
    await sql`drop index throttle_for_a_while`.execute(db);
    expect(await count('plan 11')).toBe(11);
    await sql`delete from throttle`.execute(db);
  });

  test('a transaction with a swallowed error does not commit', async () => {
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

  test('parallel statements get their own results', async () => {
    const { db } = database();
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    const results = await Promise.all(
      numbers.map((index) => sql<{ n: number }>`select ${index}::int as n`.execute(db)),
    );
    expect(results.map(({ rows }) => rows[0]?.n)).toEqual(numbers);
  });
});
