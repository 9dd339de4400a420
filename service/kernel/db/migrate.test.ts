import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newPlace, onEachKind } from '../../testing/databases.ts';
import { startWriter } from '../../testing/writer.ts';
import { openDatabase } from './database.ts';

/** Every file of the folder, whoever added it: one that is not registered would never run. */
const migrations = readdirSync(new URL('./migrations', import.meta.url))
  .toSorted()
  .map((file) => ({ name: file.replace(/\.ts$/, '') }));

onEachKind((kind) => {
  test('opening a second time finds nothing to do', async () => {
    const place = await newPlace(kind, { empty: true });
    for (let round = 0; round < 2; round += 1) {
      const { db, close } = await openDatabase(place);
      const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
      expect(rows).toEqual(migrations);
      await close();
    }
    await place.remove();
  });

  // The embedded database admits one process, and that process opens it once.
  if (kind === 'embedded') return;

  test('processes that start together run each migration once', async () => {
    const place = await newPlace(kind, { empty: true });
    const writers = await Promise.all([startWriter(place), startWriter(place)]);
    const counts = await Promise.all(writers.map(async (writer) => (await writer.kill()).length));
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const { db, close } = await openDatabase(place);
    const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
    expect(rows).toEqual(migrations);
    await close();
    await place.remove();
  });

  test('pools that open together run each migration once', async () => {
    const place = await newPlace(kind, { empty: true });
    const opened = await Promise.all(Array.from({ length: 5 }, () => openDatabase(place)));
    for (const { db, close } of opened) {
      const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
      expect(rows).toEqual(migrations);
      await close();
    }
    await place.remove();
  });
});
