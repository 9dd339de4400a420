import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../testing/databases.ts';
import { openDatabase } from './database.ts';

const ROWS = 6_000;

test('the embedded database checkpoints, vacuums and analyzes by itself and serves requests in between', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const testDatabase = await createTestDatabase('embedded');
  const { db, close } = await openDatabase(testDatabase);
  const readState = async () => {
    const { rows } = await sql<{ redo: string; counted: number; vacuumed: string[] }>`
      select redo_lsn::text as redo, (select reltuples from pg_class where relname = 'throttle') as counted,
        array(select relname::text from pg_stat_user_tables where last_vacuum is not null order by 1) as vacuumed
      from pg_control_checkpoint()`.execute(db);
    if (!rows[0]) throw new Error('No state');
    return rows[0];
  };
  const before = await readState();
  const rowsOf = (from: string) => sql.raw(`select n::text, ${from} from generate_series(1, ${ROWS}) as n`);
  await sql`insert into throttle ${rowsOf('0, now()')}`.execute(db);
  await sql`insert into mail (recipient, subject, body_text) ${rowsOf(`'', ''`)}`.execute(db);
  vi.advanceTimersByTime(60_000);
  const vacuumedAtOnce: number[] = [];
  await vi.waitUntil(
    async () => {
      const { vacuumed, redo } = await readState();
      vacuumedAtOnce.push(vacuumed.length);
      return redo !== before.redo;
    },
    { interval: 0, timeout: 30_000 },
  );
  const after = await readState();
  expect(before.counted).toBe(-1);
  expect(after.counted).toBe(ROWS);
  // Tables with few changes are not vacuumed.
  expect(after.vacuumed).toEqual(['mail', 'throttle']);
  // A request was served between the two tables.
  expect(vacuumedAtOnce).toContain(1);
  await close();
  await testDatabase.remove();
  vi.useRealTimers();
});
