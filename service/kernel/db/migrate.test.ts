import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newPlace, onEachKind } from '../../testing/databases.ts';
import { startWriter } from '../../testing/writer.ts';
import { openDatabase } from './database.ts';
import { usualLimits } from './limits.ts';
import { openEmbedded } from './pglite.ts';

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

test('the template holds every migration: a first start runs none (npm run db:template)', async () => {
  const place = await newPlace('embedded', { empty: true });
  const source = await openEmbedded(join(place.dataDir, 'db'), usualLimits);
  const line = await source.acquire();
  const { rows } = await line.run('select name from kysely_migration order by name', []);
  line.release(false);
  await source.close();
  await place.remove();
  expect(rows).toEqual(migrations);
});

test('a cluster without them, as of a template that was made before, is brought up to date', async () => {
  const place = await newPlace('embedded', { empty: true });
  await mkdir(join(place.dataDir, 'db'));
  const bare = await PGlite.create({ dataDir: join(place.dataDir, 'db', 'cluster') });
  await bare.close();
  const { db, close } = await openDatabase(place);
  const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
  await close();
  await place.remove();
  expect(rows).toEqual(migrations);
});
