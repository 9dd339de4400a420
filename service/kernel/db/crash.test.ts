import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase, onEachKind } from '../../testing/databases.ts';
import { startKills } from '../../testing/processes/kills.ts';
import { startWriter } from '../../testing/processes/writer-process.ts';
import { openDatabase } from './database.ts';

const ROUNDS = 5;

onEachKind((kind) => {
  test('a killed process loses no acknowledged write', async () => {
    const testDatabase = await createTestDatabase(kind);
    const acknowledged: number[] = [];
    const { random, report } = startKills('single inserts', kind);
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = await startWriter(testDatabase);
      await new Promise((resolve) => setTimeout(resolve, 100 + random.next() * 200));
      acknowledged.push(...(await writer.kill()));
    }
    const { db, close } = await openDatabase(testDatabase);
    const storedIds = new Set(
      (await db.selectFrom('mail').select('mail_id').execute()).map(({ mail_id }) => mail_id),
    );
    await close();
    await testDatabase.remove();
    const lost = acknowledged.filter((mailId) => !storedIds.has(mailId));
    report({ kills: ROUNDS, writes: acknowledged.length, lost: lost.length });
    expect(acknowledged.length).toBeGreaterThan(ROUNDS);
    expect(lost).toEqual([]);
  });
});

test('an interrupted first start is repeated', async () => {
  const testDatabase = await createTestDatabase('embedded');
  const folder = join(testDatabase.dataDir, 'db');
  const first = await openDatabase(testDatabase);
  await first.close();
  // State after a kill while the template is unpacked: the marker file and a truncated file.
  await writeFile(join(folder, 'unfinished'), '');
  await writeFile(join(folder, 'cluster', 'global', 'pg_control'), 'half');
  const second = await openDatabase(testDatabase);
  expect(await second.db.selectFrom('site').selectAll().execute()).toEqual([]);
  await second.close();
  await testDatabase.remove();
});

test('an unwritable write-ahead log fails statements at once and loses no acknowledged data', async () => {
  const testDatabase = await createTestDatabase('embedded');
  // Longer than the test may take: it fails if anything waits for the timeout.
  const { db, close } = await openDatabase({ ...testDatabase, limits: { statementMs: 600_000 } });
  const log = join(testDatabase.dataDir, 'db', 'cluster', 'pg_wal');
  const add = (slug: string) => db.insertInto('site').values({ slug, name: '' }).execute();
  await add('acknowledged');
  await rename(log, `${log}-away`);
  await expect(
    db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'lost', name: '' }).execute();
      // Further writes need a new file of the log.
      await sql`select pg_switch_wal()`.execute(tx);
      await tx.insertInto('site').values({ slug: 'lost as well', name: '' }).execute();
    }),
    // The COMMIT fails.
  ).rejects.toMatchObject({ code: '08007' });
  await expect(add('refused')).rejects.toMatchObject({ code: '08006' });
  await rename(`${log}-away`, log);
  await add('afterwards');
  const rows = await db.selectFrom('site').select('slug').orderBy('site_id').execute();
  expect(rows.map(({ slug }) => slug)).toEqual(['acknowledged', 'afterwards']);
  await close();
  await testDatabase.remove();
});
