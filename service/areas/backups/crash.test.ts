import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Db, openDatabase } from '../../kernel/db/database.ts';
import { makeQueuedBackups } from '../../testing/backups.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../../testing/databases.ts';
import { makeThings } from '../../testing/entries/entries.ts';
import { createFolderPlace } from '../../testing/files/file-place.ts';
import { getKillCount, startKills } from '../../testing/processes/kills.ts';
import { startWriter } from '../../testing/processes/writer-process.ts';
import { createTestApp } from '../../testing/site.ts';

const SHARE = { embedded: 1, postgres: 3 };
const ENTRIES = 1_000;
const MAKER = fileURLToPath(new URL('../../testing/processes/backup-maker.ts', import.meta.url));
const RESTORE = fileURLToPath(new URL('../../cli/steward.ts', import.meta.url));

/** Creates a site with entries and a backup of it. */
async function createBackup(place: TestDatabase): Promise<{ siteId: number; path: string }> {
  const database = await openDatabase(place);
  const app = await createTestApp(database);
  const things = await makeThings({ app, db: database.db });
  await things.create(
    ...Array.from({ length: ENTRIES }, (_, at) => ({ Name: `Entry ${at}`, Note: `note ${at}` })),
  );
  await things.api.post('/api/rest/v4/backups/request', {});
  await makeQueuedBackups(database.db, { place: createFolderPlace(place.dataDir) });
  const path = await requireConsistentFiles(database.db, place.dataDir);
  await app.close();
  await database.close();
  if (path === undefined) throw new Error('The backup is missing');
  return { siteId: things.siteId, path };
}

/**
 * Finishes what a killed process has left, as another process does, and requires that nothing else is on the disk and that all files have
 * the listed hashes. @returns the path of the newest
 */
async function requireConsistentFiles(db: Db, dataDir: string): Promise<string | undefined> {
  await sql`update job set lease_until = null, retry_at = null where state = 'running'`.execute(db);
  await makeQueuedBackups(db, { place: createFolderPlace(dataDir) });
  const { rows } = await sql<{ id: string; status: string; sha256: Buffer | null }>`
    select storage_id as id, status, sha256 from backup order by backup_id`.execute(db);
  expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'Ready'));
  const files = await readdir(join(dataDir, 'backups')).catch(() => []);
  expect(new Set(files)).toEqual(new Set(rows.map(({ id }) => `${id}.zip`)));
  for (const { id, sha256 } of rows) {
    const bytes = await readFile(join(dataDir, 'backups', `${id}.zip`));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256?.toString('hex'));
  }
  const last = rows.at(-1);
  return last && join(dataDir, 'backups', `${last.id}.zip`);
}

/** Runs the restore command, and kills it after `killAfter` milliseconds if given. */
async function restore(
  place: TestDatabase,
  path: string,
  slug: string,
  killAfter?: number,
): Promise<number | null> {
  const child = spawn(process.execPath, [RESTORE, '--json', 'restore', path, '--site', slug], {
    env: { ...process.env, DATABASE_URL: place.databaseUrl ?? '', DATA_DIR: place.dataDir },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  if (killAfter !== undefined) {
    await Promise.race([sleep(killAfter), ended]);
    child.kill('SIGKILL');
  }
  const [code] = await ended;
  return code;
}

/** Number of entries of a site; undefined when it does not exist. */
async function countEntries(db: Db, slug: string): Promise<number | undefined> {
  const { rows: sites } = await sql<{
    id: number;
  }>`select site_id as id from site where slug = ${slug}`.execute(db);
  const [site] = sites;
  if (!site) return undefined;
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from entry where site_id = ${site.id}`.execute(db);
  return rows[0]?.n;
}

onEachKind((kind) => {
  test(
    'another process finishes the backup of a killed one, and a killed restore leaves nothing partial',
    async () => {
      const place = await createTestDatabase(kind);
      const { siteId, path } = await createBackup(place);
      const kills = getKillCount(kind, SHARE);
      const { random, report } = startKills('backups and restores', kind);
      for (let kill = 0; kill < kills; kill += 1) {
        const maker = await startWriter(place, MAKER, { siteId });
        await sleep(random.next() * 600);
        await maker.kill();
        const { db, close } = await openDatabase(place);
        await requireConsistentFiles(db, place.dataDir);
        await close();
      }
      let copies = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        const slug = `copy-${kill}`;
        await restore(place, path, slug, 400 + random.next() * 1500);
        const { db, close } = await openDatabase(place);
        const entries = await countEntries(db, slug);
        expect([undefined, ENTRIES]).toContain(entries);
        if (entries !== undefined) copies += 1;
        await close();
      }
      expect(await restore(place, path, 'whole')).toBe(0);
      const { db, close } = await openDatabase(place);
      const entries = await countEntries(db, 'whole');
      report({
        kills: 2 * kills,
        writes: 2 * kills + 1,
        'killed restores were complete': copies,
        lost: entries === ENTRIES ? 0 : 1,
      });
      expect(entries).toBe(ENTRIES);
      await close();
      await place.remove();
    },
    240_000 + getKillCount(kind, SHARE) * 10_000,
  );
});
