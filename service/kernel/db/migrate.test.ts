import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase, onEachKind } from '../../testing/databases.ts';
import { startWriter } from '../../testing/writer-process.ts';
import { openDatabase } from './database.ts';
import { DEFAULT_LIMITS } from './driver/dialect.ts';
import { openEmbedded } from './pglite/pglite.ts';

/** All files in the migrations folder: one that is not registered would never run. */
const migrations = readdirSync(new URL('./migrations', import.meta.url))
  .toSorted()
  .map((file) => ({ name: file.replace(/\.ts$/, '') }));

onEachKind((kind) => {
  test('a second open runs no migration', async () => {
    const testDatabase = await createTestDatabase(kind, { empty: true });
    for (let round = 0; round < 2; round += 1) {
      const { db, close } = await openDatabase(testDatabase);
      const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
      expect(rows).toEqual(migrations);
      await close();
    }
    await testDatabase.remove();
  });

  // Only one process opens the embedded database.
  if (kind === 'embedded') return;

  test('processes that start together run each migration once', async () => {
    const testDatabase = await createTestDatabase(kind, { empty: true });
    const writers = await Promise.all([startWriter(testDatabase), startWriter(testDatabase)]);
    const counts = await Promise.all(writers.map(async (writer) => (await writer.kill()).length));
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const { db, close } = await openDatabase(testDatabase);
    const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
    expect(rows).toEqual(migrations);
    await close();
    await testDatabase.remove();
  });

  test('pools that open together run each migration once', async () => {
    const testDatabase = await createTestDatabase(kind, { empty: true });
    const opened = await Promise.all(Array.from({ length: 5 }, () => openDatabase(testDatabase)));
    for (const { db, close } of opened) {
      const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
      expect(rows).toEqual(migrations);
      await close();
    }
    await testDatabase.remove();
  });
});

test('the template contains all migrations, so that a first start runs none (npm run db:template)', async () => {
  const testDatabase = await createTestDatabase('embedded', { empty: true });
  const source = await openEmbedded(join(testDatabase.dataDir, 'db'), DEFAULT_LIMITS);
  const connection = await source.acquire();
  const { rows } = await connection.run('select name from kysely_migration order by name', []);
  connection.release(false);
  await source.close();
  await testDatabase.remove();
  expect(rows).toEqual(migrations);
});

test('a cluster from a template without migrations is migrated', async () => {
  const testDatabase = await createTestDatabase('embedded', { empty: true });
  await mkdir(join(testDatabase.dataDir, 'db'));
  const bare = await PGlite.create({ dataDir: join(testDatabase.dataDir, 'db', 'cluster') });
  await bare.close();
  const { db, close } = await openDatabase(testDatabase);
  const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
  await close();
  await testDatabase.remove();
  expect(rows).toEqual(migrations);
});
