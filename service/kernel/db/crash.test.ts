import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
