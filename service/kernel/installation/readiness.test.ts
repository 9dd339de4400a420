import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { createFolderPlace } from '../../testing/files/file-place.ts';
import { adoptFiles } from '../files/shared-store-check.ts';
import { registerDrain } from '../http/drain.ts';
import { registerErrorHandlers } from '../http/error-responses.ts';
import { registerProbes } from './readiness.ts';

onEachDatabase((database) => {
  let folders: string[] = [];
  let apps: FastifyInstance[] = [];
  beforeEach(() => {
    folders = [];
    apps = [];
  });
  afterEach(async () => {
    for (const app of apps) await app.close();
    for (const folder of folders) await rm(folder, { recursive: true });
  });
  const makeFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'steward-ready-'));
    folders.push(folder);
    return folder;
  };
  /** The probe of a process with this folder, as it answers at its first request. */
  async function probe(dataDir: string): Promise<{ status: number; message: string | undefined }> {
    const app = Fastify();
    apps.push(app);
    registerDrain(app);
    registerErrorHandlers(app);
    registerProbes(app, { database: database(), place: createFolderPlace(dataDir) });
    const { statusCode, body } = await app.inject('/readyz');
    const answer: unknown = JSON.parse(body);
    const message =
      typeof answer === 'object' && answer && 'message' in answer ? String(answer.message) : undefined;
    expect((await app.inject('/livez')).statusCode).toBe(200);
    return { status: statusCode, message };
  }

  test('is ready with the folder that the other processes have, and with no other', async () => {
    const { db, kind } = database();
    const [shared, other] = [await makeFolder(), await makeFolder()];
    expect(await probe(shared)).toMatchObject({ status: 200 });
    expect(await probe(shared)).toMatchObject({ status: 200 });
    // A folder that is a file: nothing can be written there, whoever the user is.
    const file = join(other, 'file');
    await writeFile(file, '');
    expect((await probe(file)).message).toContain('DATA_DIR cannot be written and read');
    const refused = await probe(other);
    // The embedded database is itself in the folder.
    expect(refused.status).toBe(kind === 'embedded' ? 200 : 503);
    if (kind === 'embedded') return;
    expect(await readdir(shared)).toEqual(['files-store.id']);
    expect(refused.message).toContain('not the folder of files of the other processes');
    await adoptFiles(db, createFolderPlace(other));
    expect(await probe(other)).toMatchObject({ status: 200 });
    expect(await probe(shared)).toMatchObject({ status: 503 });
  });

  test('is not ready on a database of an incompatible version', async () => {
    const { db } = database();
    const folder = await makeFolder();
    await sql`delete from installation_value`.execute(db);
    await sql`insert into kysely_migration (name, timestamp) values ('9001_newer', '2026-11-23')`.execute(db);
    expect((await probe(folder)).message).toContain('cannot work with (9001_newer)');
    await sql`insert into migration_phase values ('9001_newer', 'expand')`.execute(db);
    expect(await probe(folder)).toMatchObject({ status: 200 });
    await sql`delete from kysely_migration where name in ('9001_newer', '0034_reports')`.execute(db);
    expect((await probe(folder)).message).toContain('lacks migrations of this version (0034_reports)');
  });
});
