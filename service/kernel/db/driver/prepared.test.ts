import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createTestDatabase, onEachKind } from '../../../testing/databases.ts';
import { type Db, openDatabase } from '../database.ts';
import { executePrepared, MAX_PLANS } from './prepared.ts';

/** Runs one of many different statement texts. */
const addOne = async (db: Db, at: number): Promise<unknown> => {
  const query = sql<{ it: number }>`select ${sql.lit(at)} + ${1}::int as it`;
  const { rows } = await executePrepared(query, db, 'on-repeat');
  return rows[0]?.it;
};

async function runRepeatedly(db: Db, at: number, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) expect(await addOne(db, at)).toBe(at + 1);
}

const countPlans = async (on: Db) => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_prepared_statements where statement like '%+ $1::int as it'`.execute(
    on,
  );
  return rows[0]?.n;
};

onEachKind((kind) => {
  // The embedded database drops single plans of its one connection (embedded.test.ts).
  test.runIf(kind === 'postgres')(
    'a repeated text is planned once; a connection with too many plans is replaced',
    async () => {
      const testDatabase = await createTestDatabase(kind);
      const { db, close } = await openDatabase(testDatabase);
      const backend = await db.connection().execute(async (on) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on);
        await runRepeatedly(on, 0, 2);
        expect(await countPlans(on)).toBe(0);
        await runRepeatedly(on, 0, 3);
        expect(await countPlans(on)).toBe(1);
        for (let at = 1; at <= MAX_PLANS; at += 1) await runRepeatedly(on, at, 3);
        return rows[0]?.pid;
      });
      const isThere = async () => {
        const { rows } = await sql`select 1 from pg_stat_activity where pid = ${backend}`.execute(db);
        return rows.length > 0;
      };
      await vi.waitUntil(async () => !(await isThere()));
      await runRepeatedly(db, 0, 1);
      await close();
      await testDatabase.remove();
    },
  );
});
