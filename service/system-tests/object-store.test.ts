/** The service with its files in an S3-compatible store: the same promises as with a folder. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { BackupContents, Job } from '../../contract/generated/types.gen.ts';
import { openBackup } from '../areas/backups/index.ts';
import { deleteStrayFiles } from '../areas/backups/storage.ts';
import { verifyNextBackup } from '../areas/backups/verify.ts';
import { deleteOrphanFilesTask } from '../areas/entries/files/delete-orphan-files.ts';
import { restoreBackup } from '../cli/restore/restore-backup.ts';
import { openRestoreTarget } from '../cli/restore/target.ts';
import { createS3Store } from '../kernel/files/s3-store.ts';
import { explainUnusableFiles } from '../kernel/files/shared-store-check.ts';
import type { Services } from '../kernel/http/handler.ts';
import { checkInstallation } from '../kernel/installation/installation-checks.ts';
import { runDueJobs } from '../kernel/jobs/run-jobs.ts';
import { BACKUPS, listBackups, makeQueuedBackups } from '../testing/backups.ts';
import { createTestDatabase } from '../testing/databases.ts';
import { DATA, makeThings, type Things, uploadFiles } from '../testing/entries/entries.ts';
import { startObjectStore } from '../testing/files/object-store.ts';
import { createJobContext } from '../testing/jobs.ts';
import { as, onEachApp, services as folderServices } from '../testing/site.ts';
import { runTask } from '../testing/tasks.ts';

const DAY_MS = 86_400_000;

const objects = await startObjectStore();
const blobs = createS3Store(objects.settings, { requestLimitMs: 2_000 });
/** Folder of this process: files are on their way there, and nothing stays. */
const dataDir = join(tmpdir(), `steward-objects-${crypto.randomUUID()}`);
const services: Services = { ...folderServices, dataDir, blobs };

afterAll(async () => {
  blobs.close();
  await objects.close();
  await rm(dataDir, { recursive: true, force: true });
});

const list = (prefix: string) => Array.fromAsync(blobs.list(prefix));
const getName = (content: Buffer) => {
  const hex = createHash('sha256').update(content).digest('hex');
  return `files/${hex.slice(0, 2)}/${hex}`;
};
const isStored = async (content: Buffer) => (await blobs.stat(getName(content))) !== undefined;
const listLeft = async (folder: string) => readdir(join(dataDir, folder)).catch(() => []);

onEachApp(
  (context) => {
    let things: Things;
    beforeEach(async () => {
      await sql`delete from job`.execute(context().db);
      things = await makeThings(context());
    });

    const upload = (content: Buffer, entryId = -1, field = 'Plan') =>
      uploadFiles(context().app, things, {
        entryId,
        files: [{ field, content }],
        ...(entryId < 0 && { storeRequests: things.items(-1, { Name: 'With a file' }) }),
      });
    const createWithFile = async (content: Buffer) => {
      const { status, body, text } = await upload(content);
      expect([status, text]).toEqual([200, text]);
      return body[0]?.entryId ?? 0;
    };
    const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      context().app.inject({
        url,
        method,
        headers: { authorization: `Bearer ${things.person.token}`, ...headers },
      });
    const getFile = (entryId: number, headers: Record<string, string> = {}, method?: 'HEAD') =>
      get(`${DATA}/entryfiles/${entryId}/fields/Plan`, headers, method);
    const runJobs = () =>
      runDueJobs({ ...createJobContext(context().db), files: { ...services, leaseRenewalMs: 50 } });

    test('a file of an entry is stored once, and sent whole, in parts, or not at all', async () => {
      const content = Buffer.concat([Buffer.from('%PDF-1.7'), randomBytes(100_000)]);
      const entryId = await createWithFile(content);
      await createWithFile(content);
      const whole = await getFile(entryId);
      expect([whole.statusCode, whole.rawPayload.equals(content)]).toEqual([200, true]);
      const part = await getFile(entryId, { range: 'bytes=50000-' });
      expect([part.statusCode, part.rawPayload.equals(content.subarray(50_000))]).toEqual([206, true]);
      expect(part.headers['content-range']).toBe(`bytes 50000-100007/100008`);
      const head = await getFile(entryId, {}, 'HEAD');
      expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '100008', '']);
      const { etag = '' } = whole.headers;
      expect((await getFile(entryId, { 'if-none-match': etag })).statusCode).toBe(304);
      expect((await getFile(entryId, { range: 'bytes=100008-' })).statusCode).toBe(416);
      expect(await list('staged/')).toEqual([]);
      expect(await listLeft('uploads')).toEqual([]);
      expect(await listLeft('files')).toEqual([]);
    });

    test('a refused upload leaves nothing in the store', async () => {
      const content = randomBytes(1_000);
      expect((await upload(content, -1, 'Note')).status).toBe(400);
      expect([await isStored(content), await list('staged/')]).toEqual([false, []]);
    });

    test('while the store is down, uploads and downloads answer 503, and then work again', async () => {
      const [stored, refused] = [randomBytes(1_000), randomBytes(1_000)];
      const entryId = await createWithFile(stored);
      await objects.stop();
      const answers = [await upload(refused, entryId), await upload(stored, entryId)];
      for (const { status, body } of answers)
        expect([status, body.message]).toEqual([503, 'The store of files is not available right now']);
      const download = await getFile(entryId);
      expect([download.statusCode, download.headers['retry-after']]).toEqual([503, '5']);
      expect(download.headers).not.toHaveProperty('content-disposition');
      const ready = await context().app.inject('/readyz');
      expect([ready.statusCode, ready.json<{ message: string }>().message]).toEqual([
        503,
        expect.stringMatching(/s3:\/\/steward-files\/test\/files cannot be written and read: .*ECONNREFUSED/),
      ]);
      await objects.start();
      expect((await getFile(entryId)).rawPayload.equals(stored)).toBe(true);
      expect((await upload(refused, entryId)).status).toBe(200);
      expect((await getFile(entryId)).rawPayload.equals(refused)).toBe(true);
    });

    test('a store that fails after the bytes were sent rolls the request back', async () => {
      const content = randomBytes(1_000);
      const entryId = await createWithFile(randomBytes(1_000));
      void objects.fail({
        matches: ({ method, url }) => method === 'PUT' && url.includes('/files/files/'),
        fault: { status: 403, code: 'AccessDenied' },
      });
      expect((await upload(content, entryId)).status).toBe(503);
      void objects.fail(undefined);
      expect([await isStored(content), await list('staged/')]).toEqual([false, []]);
      expect((await getFile(entryId)).rawPayload.equals(content)).toBe(false);
    });

    test('a full store answers 507, and stores nothing of the request', async () => {
      const content = randomBytes(1_000);
      void objects.fail({
        matches: ({ method }) => method === 'PUT',
        fault: { status: 507, code: 'XMinioStorageFull' },
      });
      const { status } = await upload(content);
      void objects.fail(undefined);
      expect([status, await isStored(content)]).toEqual([507, false]);
    });

    test('contents that nothing refers to are removed after 7 days, others and new ones stay', async () => {
      const [old, young, used] = [randomBytes(100), randomBytes(100), randomBytes(100)];
      const store = async (content: Buffer, ageDays: number) => {
        const path = join(tmpdir(), crypto.randomUUID());
        await writeFile(path, content);
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - ageDays * DAY_MS });
        const sha256 = createHash('sha256').update(content).digest();
        await blobs.put(getName(content), { path, size: content.length, sha256 });
        if (content === old) await blobs.stage({ path, size: content.length, sha256 });
        vi.useRealTimers();
        await rm(path);
      };
      await store(used, 30);
      const entryId = await createWithFile(used);
      await store(used, 30);
      await store(old, 7.1);
      await store(young, 6.9);
      expect(await list('staged/')).toHaveLength(1);
      const task = deleteOrphanFilesTask({ db: context().db, services });
      await Promise.all([runTask(task), runTask(task)]);
      expect([await isStored(old), await isStored(young), await isStored(used)]).toEqual([false, true, true]);
      expect(await list('staged/')).toEqual([]);
      // An upload of the same content while the task looks at it.
      for (let round = 0; round < 2; round += 1) {
        await store(old, 30);
        const [, { status }] = await Promise.all([
          runTask(task),
          upload(old, entryId, 'Papers'),
          runTask(task),
        ]);
        expect([status, await isStored(old)]).toEqual([200, true]);
        await things.update(entryId, { Papers: null });
        await sql`delete from stored_file where hash = ${createHash('sha256').update(old).digest()}`.execute(
          context().db,
        );
      }
    });

    test('an export waits for the store, and is sent from it, in parts on request', async () => {
      await things.create({ Name: 'One' }, { Name: 'Two' });
      const api = as(context().app, things.person, 'console');
      const started = await api.post<Job>('jobs/entryExports', { entryType: 'Thing', format: 'csv' });
      await objects.stop();
      // The job waits for the store.
      await runJobs();
      const read = async () => (await api.get<Job>(`jobs/${started.body.id}`)).body;
      expect(['queued', 'running', 'waiting']).toContain((await read()).state);
      await objects.start();
      await sql`update job set retry_at = null, lease_until = null`.execute(context().db);
      await runJobs();
      const job = await read();
      expect(job).toMatchObject({ state: 'finished', stopReason: null });
      const url = `/api/rest/v1/management/jobs/${job.id}/file`;
      const whole = await get(url);
      expect(createHash('sha256').update(whole.rawPayload).digest('hex')).toBe(job.file?.sha256);
      const part = await get(url, { range: 'bytes=10-' });
      expect([part.statusCode, part.rawPayload.equals(whole.rawPayload.subarray(10))]).toEqual([206, true]);
      expect([await list('exports/'), await listLeft('exports')]).toEqual([[expect.any(String)], []]);
    });

    test('a backup is made, read, verified, restored, downloaded and deleted', async () => {
      const { db, database } = context();
      const contents = [randomBytes(9 << 20), randomBytes(1_000)];
      for (const content of contents) await createWithFile(content);
      const { api } = things;
      expect((await api.post(`${BACKUPS}/request`, { includeFiles: true })).status).toBe(200);
      await makeQueuedBackups(db, { place: services });
      const [backup] = await listBackups(api);
      expect(backup).toMatchObject({ status: 'Ready', failure: null });
      const { fileName = '', sha256 } = backup ?? {};
      expect([await list('backups/'), await listLeft('backups')]).toEqual([[expect.any(String)], []]);

      const members = await api.get<BackupContents>(`${BACKUPS}/${fileName}/contents`);
      expect(members.body.members.filter(({ kind }) => kind === 'file')).toHaveLength(2);
      const whole = await get(`${BACKUPS}/${fileName}`);
      expect(createHash('sha256').update(whole.rawPayload).digest('hex')).toBe(sha256);
      const part = await get(`${BACKUPS}/${fileName}`, { range: 'bytes=8388600-8388620' });
      expect(part.rawPayload.equals(whole.rawPayload.subarray(8_388_600, 8_388_621))).toBe(true);

      // Verified from a copy on this machine, which is deleted.
      await api.post(`${BACKUPS}/verify/${fileName}`);
      const verified: string[] = [];
      const verify = () =>
        verifyNextBackup({
          db,
          services,
          signal: new AbortController().signal,
          async restore(path) {
            verified.push(path);
            (await openBackup(path)).close();
            return { state: 'passed', message: null };
          },
        });
      await objects.stop();
      expect(await verify()).toBe(false);
      await objects.start();
      expect((await listBackups(api))[0]?.verified?.state).toBe('queued');
      await verify();
      expect((await listBackups(api))[0]?.verified?.state).toBe('passed');
      expect([verified.length, await listLeft('backups')]).toEqual([1, []]);

      // Another installation with another part of the bucket.
      const other = await createTestDatabase(database.kind);
      const target = await openRestoreTarget(other);
      const otherBlobs = createS3Store({ ...objects.settings, prefix: crypto.randomUUID() });
      const path = join(tmpdir(), crypto.randomUUID());
      await writeFile(path, whole.rawPayload);
      const file = await openBackup(path);
      const report = await restoreBackup(target, file, {
        dataDir: join(other.dataDir, 'files'),
        blobs: otherBlobs,
        slug: 'restored',
      });
      expect(report.files).toEqual({ restored: 2, missing: 0 });
      for (const content of contents)
        expect(await otherBlobs.stat(getName(content))).toMatchObject({ size: content.length });
      file.close();
      otherBlobs.close();
      await target.close();
      await other.remove();
      await rm(path);

      // While the store is down, the backup is deleted nevertheless, and its file later.
      await objects.stop();
      expect((await api.post(`${BACKUPS}/delete/${fileName}`)).status).toBe(200);
      await objects.start();
      expect(await list('backups/')).toHaveLength(1);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * DAY_MS });
      await deleteStrayFiles(services, new Set());
      vi.useRealTimers();
      expect(await list('backups/')).toEqual([]);
    });

    test('is ready with the bucket of the other processes, and with no other', async () => {
      const { db } = context();
      await sql`delete from installation_value`.execute(db);
      expect(await explainUnusableFiles(db, services, true)).toBeUndefined();
      const others = [
        folderServices,
        { dataDir, blobs: createS3Store({ ...objects.settings, prefix: 'other' }) },
      ];
      for (const place of others)
        expect(await explainUnusableFiles(db, place, true)).toMatch(
          /is not the (folder|store) of files of the other processes/,
        );
      for (const { blobs: other } of others) other.close();
      expect(await explainUnusableFiles(db, services, true)).toBeUndefined();
    });
  },
  { services },
);

const findFilesCheck = async (settings: Readonly<Record<string, string>>) =>
  (await checkInstallation(settings)).find(({ check }) => check === 'files');

test('doctor says whether the bucket can be written, and why not', async () => {
  const env = { DATA_DIR: dataDir, ...objects.env };
  expect(await findFilesCheck(env)).toMatchObject({ status: 'ok' });
  const finding = await findFilesCheck({ ...env, S3_BUCKET: 'another-bucket' });
  expect(finding?.status).toBe('problem');
  expect(finding?.message).toContain('NoSuchBucket');
  expect(finding?.fix).toContain('S3_BUCKET');
});
