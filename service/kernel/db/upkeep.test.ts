import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { newPlace } from '../../testing/databases.ts';
import { openDatabase } from './database.ts';

test('the embedded database checkpoints, vacuums and renews its statistics by itself', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const place = await newPlace('embedded');
  const { db, close } = await openDatabase(place);
  const state = async () => {
    const { rows } = await sql<{ redo: string; counted: number }>`
      select redo_lsn::text as redo, (select reltuples from pg_class where relname = 'throttle') as counted
      from pg_control_checkpoint()`.execute(db);
    return rows[0];
  };
  const before = await state();
  await sql`insert into throttle select n::text, 0, now() from generate_series(1, 6000) as n`.execute(db);
  vi.advanceTimersByTime(60_000);
  const after = await state();
  expect(before?.counted).toBe(-1);
  expect(after?.counted).toBe(6000);
  expect(after?.redo).not.toBe(before?.redo);
  await close();
  await place.remove();
  vi.useRealTimers();
});
