import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase, onEachKind } from '../../../testing/databases.ts';
import { type Db, openDatabase, type Tx, withTransaction } from '../database.ts';
import { executeReplanned, getPlanName, MAX_PLANS } from './prepared.ts';

/** Runs one of many different statement texts. */
const addOne = async (db: Db, at: number): Promise<unknown> => {
  const query = sql<{ it: number }>`select ${sql.lit(at)} + ${1}::int as it`;
  const { rows } = await query.execute(db);
  return rows[0]?.it;
};

async function runRepeatedly(db: Db, at: number, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) expect(await addOne(db, at)).toBe(at + 1);
}

const countRows = (tx: Tx) => sql<{ n: number }>`select *, 1 as n from throttle`.execute(tx);

const measureLength = async (db: Db, text: string): Promise<unknown> => {
  const { rows } = await sql<{ n: number }>`select length(${text}) + 0 as n`.execute(db);
  return rows[0]?.n;
};

const countPlans = async (on: Db) => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_prepared_statements where statement like '%::int as it' or statement like '%+ 0 as n'`.execute(
    on,
  );
  return rows[0]?.n;
};

test.each([
  ['a = $1', true],
  ['a <> $1 and b @> $2 and c >>= $3::inet and d -> $4 = $5', true],
  ['a > now() - make_interval(secs => $1)', true],
  ['a >= $1', false],
  ['a <$1', false],
  ['a between $1 and $2', false],
  ['a like $1', false],
  ['true limit $1', false],
])('whether a plan is good for all values of "%s": %j', (condition, isPrepared) => {
  const names = [1, 2, 3].map(() => getPlanName(`select from site where ${condition}`, ['1']));
  expect(names.map((name) => name !== undefined)).toEqual([false, false, isPrepared]);
});

onEachKind((kind) => {
  test('a repeated text is planned once; beyond the limit the least recently used plans are dropped', async () => {
    const testDatabase = await createTestDatabase(kind);
    const { db, close } = await openDatabase(testDatabase);
    // Executions of a text are counted for all databases of the process.
    const first = kind === 'embedded' ? 0 : 10_000;
    await db.connection().execute(async (on) => {
      await runRepeatedly(on, first, 2);
      expect(await countPlans(on)).toBe(0);
      await runRepeatedly(on, first, 3);
      expect(await countPlans(on)).toBe(1);
      for (let at = 1; at <= MAX_PLANS; at += 1) await runRepeatedly(on, first + at, 3);
      const plans = await countPlans(on);
      expect(plans).toBeGreaterThan(MAX_PLANS - 5);
      expect(plans).toBeLessThanOrEqual(MAX_PLANS);
      await runRepeatedly(on, first, 1);
    });
    await close();
    await testDatabase.remove();
  });

  test('long parameters and statements marked so are planned each time', async () => {
    const testDatabase = await createTestDatabase(kind);
    const { db, close } = await openDatabase(testDatabase);
    await db.connection().execute(async (on) => {
      for (let time = 0; time < 4; time += 1) {
        expect(await measureLength(on, 'x'.repeat(5000))).toBe(5000);
        await executeReplanned(sql`select ${1}::int + ${time}::int as it`, on);
      }
      expect(await countPlans(on)).toBe(0);
    });
    await close();
    await testDatabase.remove();
  });

  test('a plan that a change of the schema makes useless is replaced', async () => {
    const testDatabase = await createTestDatabase(kind);
    const { db, close } = await openDatabase(testDatabase);
    await db.connection().execute(async (on) => {
      const select = () => sql`select * from throttle`.execute(on);
      for (let time = 0; time < 3; time += 1) await select();
      await sql`alter table throttle add column extra int`.execute(on);
      expect((await select()).rows).toEqual([]);
    });
    for (let time = 0; time < 3; time += 1) await withTransaction(db, {}, countRows);
    await sql`alter table throttle drop column extra`.execute(db);
    expect((await withTransaction(db, {}, countRows)).rows).toEqual([]);
    await close();
    await testDatabase.remove();
  });
});
