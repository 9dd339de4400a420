import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newPlace, onEachKind } from '../../testing/databases.ts';
import { startWriter } from '../../testing/writer.ts';
import { openDatabase } from './database.ts';

const rounds = 5;

onEachKind((kind) => {
  test('a killed process loses no write that it had acknowledged', async () => {
    const place = await newPlace(kind);
    const acknowledged: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const writer = await startWriter(place);
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 200));
      acknowledged.push(...(await writer.kill()));
    }
    const { db, close } = await openDatabase(place);
    const kept = new Set(
      (await db.selectFrom('mail').select('mail_id').execute()).map(({ mail_id }) => mail_id),
    );
    await close();
    await place.remove();
    expect(acknowledged.length).toBeGreaterThan(rounds);
    expect(acknowledged.filter((mailId) => !kept.has(mailId))).toEqual([]);
  });
});

test('a first start that was cut off is begun anew', async () => {
  const place = await newPlace('embedded');
  const folder = join(place.dataDir, 'db');
  const first = await openDatabase(place);
  await first.close();
  // What a kill in the middle of unpacking leaves: the mark, and files of which some are missing or short.
  await writeFile(join(folder, 'unfinished'), '');
  await writeFile(join(folder, 'cluster', 'global', 'pg_control'), 'half');
  const second = await openDatabase(place);
  expect(await second.db.selectFrom('site').selectAll().execute()).toEqual([]);
  await second.close();
  await place.remove();
});

test('a log that cannot be written ends in errors at once, and in nothing lost when it can be again', async () => {
  const place = await newPlace('embedded');
  // Whatever waits for the watchdog waits longer than this test may take.
  const { db, close } = await openDatabase({ ...place, limits: { statementMs: 600_000 } });
  const log = join(place.dataDir, 'db', 'cluster', 'pg_wal');
  const add = (slug: string) => db.insertInto('site').values({ slug, name: '' }).execute();
  await add('acknowledged');
  await rename(log, `${log}-away`);
  await expect(
    db.transaction().execute(async (tx) => {
      await tx.insertInto('site').values({ slug: 'lost', name: '' }).execute();
      // What follows is written into the next file of the log.
      await sql`select pg_switch_wal()`.execute(tx);
      await tx.insertInto('site').values({ slug: 'lost as well', name: '' }).execute();
    }),
  ).rejects.toMatchObject({ code: '08006' });
  await expect(add('refused')).rejects.toMatchObject({ code: '08006' });
  await rename(`${log}-away`, log);
  await add('afterwards');
  const rows = await db.selectFrom('site').select('slug').orderBy('site_id').execute();
  expect(rows.map(({ slug }) => slug)).toEqual(['acknowledged', 'afterwards']);
  await close();
  await place.remove();
});
