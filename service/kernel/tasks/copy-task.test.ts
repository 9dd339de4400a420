import { mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/databases.ts';
import { openDatabase } from '../db/database.ts';
import { createFolderCopy } from '../db/pglite/folder-copy.ts';
import { createLog } from '../telemetry/log.ts';
import { createCopyTask } from './copy-task.ts';

test('copies the database while it is written, verifies the copy and keeps three', async () => {
  const testDatabase = await createTestDatabase('embedded');
  const { db, copyTo, close } = await openDatabase(testDatabase);
  if (!copyTo) throw new Error('The embedded database can be copied');
  const folder = await mkdtemp(join(tmpdir(), 'steward-copies-'));
  for (const name of ['2026-11-01T00-00-00Z', '2026-11-02T00-00-00Z', '2026-11-03T00-00-00Z'])
    await mkdir(join(folder, name));
  await mkdir(join(folder, '2026-11-04T00-00-00Z.partial'));
  let time = new Date('2026-11-05T06:00:00Z');
  let damage: ((copy: string) => Promise<void>) | undefined;
  const task = createCopyTask({
    folder,
    hours: 6,
    copyTo: async (copy) => {
      await copyTo(copy);
      await damage?.(copy);
    },
    log: createLog('silent'),
    now: () => time,
  });

  // Writes go on while the files are copied.
  const copied = new AbortController();
  let written = 0;
  const writing = (async () => {
    while (!copied.signal.aborted) {
      written += 1;
      await sql`insert into site (slug, name) values (${`s${written}`}, '')`.execute(db);
    }
  })();
  await task.run();
  copied.abort();
  await writing;
  expect(written).toBeGreaterThan(1);
  const copies = ['2026-11-02T00-00-00Z', '2026-11-03T00-00-00Z', '2026-11-05T06-00-00Z'];
  expect((await readdir(folder)).toSorted()).toEqual(copies);
  const copy = await openDatabase({ databaseUrl: undefined, dataDir: join(folder, '2026-11-05T06-00-00Z') });
  const { rows } = await sql<{ count: number; last: number }>`
    select count(*)::int as count, max(substr(slug, 2)::int) as last from site`.execute(copy.db);
  expect(rows[0]?.count).toBeGreaterThan(0);
  // All writes up to the last one in the copy.
  expect(rows[0]?.last).toBe(rows[0]?.count);
  await copy.close();

  // The next one is due six hours after the last.
  time = new Date('2026-11-05T07:00:00Z');
  expect(await task.run()).toEqual({ runAgainInMs: 5 * 3_600_000 });
  // A copy that cannot be read is no copy.
  time = new Date('2026-11-05T12:00:00Z');
  damage = (path) => truncate(join(path, 'db', 'cluster', 'global', 'pg_control'), 10);
  await expect(task.run()).rejects.toThrow('cannot be opened');
  expect((await readdir(folder)).toSorted().filter((name) => !name.endsWith('.partial'))).toEqual(copies);
  await close();
  await rm(folder, { recursive: true });
  await testDatabase.remove();
});

test('a second pass copies what has changed, and what may have changed within a step of the clock', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-copy-'));
  const [source, target] = [join(folder, 'a'), join(folder, 'b')];
  await mkdir(join(source, 'empty'), { recursive: true });
  await writeFile(join(source, 'old'), 'old');
  await utimes(join(source, 'old'), 1, 1);
  await writeFile(join(source, 'new'), 'one');
  await writeFile(join(source, 'gone'), 'gone');
  const copy = createFolderCopy(source, target);
  expect(await copy.copyChanged()).toBe(3);
  await rm(join(source, 'gone'));
  expect(await copy.copyChanged()).toBe(1);
  expect((await readdir(target)).toSorted()).toEqual(['empty', 'new', 'old']);
  await rm(folder, { recursive: true });
});
