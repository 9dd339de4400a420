/** Two processes with folders of their own, one PostgreSQL and one S3-compatible store. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../kernel/db/database.ts';
import type { BlobStore } from '../kernel/files/blob-store.ts';
import { createS3Store } from '../kernel/files/s3-store.ts';
import { BACKUPS, listBackups } from '../testing/backups.ts';
import { createTestDatabase, type TestDatabase } from '../testing/databases.ts';
import { DATA, makeThings, type Things } from '../testing/entries/entries.ts';
import { startObjectStore, type TestObjectStore } from '../testing/files/object-store.ts';
import { type ServiceProcess, startService } from '../testing/processes/service-process.ts';
import { createTestApp } from '../testing/site.ts';

async function kill(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGKILL');
  await service.exited;
}

const getBytes = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

const PATIENCE = { timeout: 50_000, interval: 200 };

describe.skipIf(process.env['STEWARD_TEST_DATABASES'] === 'embedded')(
  'two processes with folders of their own and one store',
  () => {
    let place: TestDatabase;
    let database: Database;
    let app: FastifyInstance;
    let objects: TestObjectStore;
    let blobs: BlobStore;
    let things: Things;
    let env: Record<string, string> = {};
    let one: ServiceProcess;
    let other: ServiceProcess;
    const content = randomBytes(10 << 20);
    let filePath = '';
    const folders: string[] = [];
    const processes: ServiceProcess[] = [];
    const foldersByProcess = new Map<ServiceProcess, string>();

    const start = async (): Promise<ServiceProcess> => {
      const dataDir = await mkdtemp(join(tmpdir(), 'steward-process-'));
      folders.push(dataDir);
      const service = await startService({ databaseUrl: place.databaseUrl, dataDir }, env);
      foldersByProcess.set(service, dataDir);
      processes.push(service);
      return service;
    };

    beforeAll(async () => {
      place = await createTestDatabase('postgres');
      database = await openDatabase(place);
      objects = await startObjectStore();
      blobs = createS3Store(objects.settings);
      // Only to create the site: it stores no files.
      app = await createTestApp(database);
      things = await makeThings({ app, db: database.db });
      env = {
        ...objects.env,
        STEWARD_SECRET_KEY: randomBytes(32).toString('base64'),
      };
      [one, other] = await Promise.all([start(), start()]);
    }, 120_000);
    afterAll(async () => {
      for (const service of processes) await kill(service);
      blobs.close();
      await app.close();
      await objects.close();
      await database.close();
      await place.remove();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });

    const readBackup = async () => (await listBackups(things.api))[0];
    const fetchFrom = (service: ServiceProcess, path: string, init: RequestInit = {}) =>
      fetch(`${service.address}${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${things.person.token}`,
          ...(init.headers as Record<string, string> | undefined),
        },
      });
    const upload = (service: ServiceProcess, bytes: Buffer) => {
      const form = new FormData();
      const binaryStoreRequests = [{ entryId: -1, fieldId: things.field('Plan').id, name: 'plan' }];
      const storeRequests = things.items(-1, { Name: 'With a file' });
      form.append('model', JSON.stringify({ storeRequests, binaryStoreRequests }));
      form.append('files', new Blob([new Uint8Array(bytes)]), 'sent.bin');
      return fetchFrom(service, `${DATA}/entrydata/Thing`, { method: 'PUT', body: form });
    };
    const countFiles = async () => {
      const { rows } = await sql`select from stored_file where site_id = ${things.siteId}`.execute(
        database.db,
      );
      return rows.length;
    };

    test('a file that is uploaded to one is downloaded from the other, also in parts', async () => {
      const created = await upload(one, content);
      expect(created.status).toBe(200);
      const [{ entryId } = { entryId: 0 }] = (await created.json()) as { entryId: number }[];
      filePath = `${DATA}/entryfiles/${entryId}/fields/Plan`;
      const part = await fetchFrom(other, filePath, { headers: { range: 'bytes=1000000-1000099' } });
      expect([part.status, (await getBytes(part)).equals(content.subarray(1_000_000, 1_000_100))]).toEqual([
        206,
        true,
      ]);
    });

    test('exports and backups are served by both, whichever made them', async () => {
      const started = await fetchFrom(one, '/api/rest/v1/management/jobs/entryExports', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ entryType: 'Thing', format: 'csv' }),
      });
      expect(started.status).toBe(202);
      const { id } = (await started.json()) as { id: number };
      const jobPath = `/api/rest/v1/management/jobs/${id}`;
      const readJob = async () => (await (await fetchFrom(one, jobPath)).json()) as { state: string };
      await expect.poll(readJob, PATIENCE).toMatchObject({ state: 'finished' });
      const exports = await Promise.all(
        [one, other].map(async (service) => getBytes(await fetchFrom(service, `${jobPath}/file`))),
      );
      expect(exports[0]?.length).toBeGreaterThan(0);
      expect(exports[1]?.equals(exports[0] ?? Buffer.alloc(0))).toBe(true);

      expect((await things.api.post(`${BACKUPS}/request`, { includeFiles: true })).status).toBe(200);
      await expect.poll(readBackup, PATIENCE).toMatchObject({ status: 'Ready' });
      const { fileName, sha256 } = (await readBackup()) ?? {};
      for (const service of [one, other]) {
        const bytes = await getBytes(await fetchFrom(service, `${BACKUPS}/${fileName}`));
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      }
    });

    test('while the store is down both say so, and then go on', async () => {
      await objects.stop();
      for (const service of [one, other]) {
        const answer = await fetchFrom(service, filePath);
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
        await expect.poll(async () => (await fetch(`${service.address}/readyz`)).status, PATIENCE).toBe(503);
      }
      await objects.start();
      for (const service of [one, other]) {
        await expect.poll(async () => (await fetch(`${service.address}/readyz`)).status, PATIENCE).toBe(200);
        expect((await getBytes(await fetchFrom(service, filePath))).equals(content)).toBe(true);
      }
    });

    test('an upload whose process is killed leaves nothing visible, and harms no other process', async () => {
      const filesBefore = await countFiles();
      const lost = randomBytes(20 << 20);
      const hanging = objects.fail({
        matches: ({ method, url }) => method === 'PUT' && url.includes('partNumber=2'),
        fault: 'hang',
      });
      const interrupted = upload(one, lost).catch(() => undefined);
      await hanging;
      await kill(one);
      await interrupted;
      void objects.fail(undefined);
      const name = createHash('sha256').update(lost).digest('hex');
      expect(await blobs.stat(`files/${name.slice(0, 2)}/${name}`)).toBeUndefined();
      expect([await Array.fromAsync(blobs.list('staged/')), await countFiles()]).toEqual([[], filesBefore]);
      // The other process is unharmed, and accepts the same file.
      expect((await upload(other, lost)).status).toBe(200);
      expect(await blobs.stat(`files/${name.slice(0, 2)}/${name}`)).toMatchObject({ size: lost.length });
      // Nothing stays in the folder of a process but what is its own.
      const dataDir = foldersByProcess.get(other) ?? '';
      expect(await readdir(dataDir)).not.toContain('files');
      for (const folder of ['exports', 'backups', 'uploads'])
        await expect.poll(() => readdir(join(dataDir, folder)).catch(() => [])).toEqual([]);
    });
  },
);
