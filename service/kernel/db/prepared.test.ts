import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { newPlace, onEachKind } from '../../testing/databases.ts';
import { type Db, openDatabase } from './database.ts';
import { MOST_PLANS, onePlan } from './prepared.ts';

/** One of very many texts of one kind. */
const ask = async (db: Db, at: number): Promise<unknown> => {
  const { rows } = await sql<{ it: number }>`${onePlan} select ${sql.lit(at)} + ${1}::int as it`.execute(db);
  return rows[0]?.it;
};

async function again(db: Db, at: number, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    // oxlint-disable-next-line no-await-in-loop -- one connection
    expect(await ask(db, at)).toBe(at + 1);
}

const plans = async (on: Db) => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_prepared_statements where statement like '/* again%'`.execute(on);
  return rows[0]?.n;
};

onEachKind((kind) => {
  // The embedded database has one connection: it forgets single plans (embedded.test.ts).
  test.runIf(kind === 'postgres')(
    'a text that comes again and again is planned once; a connection with very many plans is replaced',
    async () => {
      const place = await newPlace(kind);
      const { db, close } = await openDatabase(place);
      const backend = await db.connection().execute(async (on) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on);
        await again(on, 0, 2);
        expect(await plans(on)).toBe(0);
        await again(on, 0, 3);
        expect(await plans(on)).toBe(1);
        // oxlint-disable-next-line no-await-in-loop -- one connection
        for (let at = 1; at <= MOST_PLANS; at += 1) await again(on, at, 3);
        return rows[0]?.pid;
      });
      const isThere = async () => {
        const { rows } = await sql`select 1 from pg_stat_activity where pid = ${backend}`.execute(db);
        return rows.length > 0;
      };
      await vi.waitUntil(async () => !(await isThere()));
      await again(db, 0, 1);
      await close();
      await place.remove();
    },
  );
});
