/** Uploads to a service whose files are on a real, small file system, in a mount namespace of its own. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../kernel/db/database.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../../../testing/databases.ts';
import { DATA, makeThings } from '../../../testing/entries/entries.ts';
import { createTestApp } from '../../../testing/site.ts';

const SERVICE = fileURLToPath(new URL('../../../testing/processes/full-disk-process.ts', import.meta.url));
const DISK = '4m';
const MB = 1_000_000;

/** Why no file system can be mounted here: it takes root and the right to create namespaces. */
const refusal = await promisify(execFile)('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).then(
  () => undefined,
  (error: unknown) => String(error),
);

/** Starts the service with its files on a file system of 4 MB. */
async function startOnSmallDisk({ dataDir, databaseUrl }: TestDatabase, filesDir: string) {
  const script = `mount -t tmpfs -o size=${DISK} tmpfs "$1" && shift && exec "$@"`;
  const command = [process.execPath, SERVICE, dataDir, databaseUrl ?? '', filesDir];
  const child = spawn('unshare', ['-m', 'sh', '-c', script, 'sh', filesDir, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const [url] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The service ended with ${String(code)}`))),
  ])) as [string];
  return {
    url,
    /** Files and folders on the small file system. */
    list: () => readdir(join('/proc', String(child.pid), 'root', filesDir), { recursive: true }),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

onEachKind((kind) => {
  test.skipIf(refusal !== undefined)(
    `an upload to a full disk is 507, leaves nothing, and smaller ones succeed afterwards${refusal ? ` (skipped: ${refusal})` : ''}`,
    async () => {
      const place = await createTestDatabase(kind);
      const filesDir = await mkdtemp(join(tmpdir(), 'steward-small-'));
      const database = await openDatabase(place);
      const app = await createTestApp(database);
      const things = await makeThings({ app, db: database.db });
      await app.close();
      await database.close();
      const service = await startOnSmallDisk(place, filesDir);
      const upload = async (bytes: number) => {
        const form = new FormData();
        const binaryStoreRequests = [{ entryId: -1, fieldId: things.field('Plan').id, name: 'plan.bin' }];
        const storeRequests = things.items(-1, { Name: `With ${bytes} bytes` });
        form.append('model', JSON.stringify({ storeRequests, binaryStoreRequests }));
        form.append('file', new Blob([new Uint8Array(bytes)]), 'plan.bin');
        const response = await fetch(`${service.url}${DATA}/entrydata/Thing`, {
          method: 'POST',
          headers: { authorization: `Bearer ${things.person.token}` },
          body: form,
        });
        return { status: response.status, body: (await response.json()) as { message?: string } };
      };
      try {
        const refused = await upload(6 * MB);
        expect([refused.status, refused.body.message]).toEqual([
          507,
          expect.stringMatching(/^The storage of the service is full/),
        ]);
        expect(await service.list()).toEqual(['uploads']);
        expect((await upload(3 * MB)).status).toBe(200);
        expect((await upload(2 * MB)).status).toBe(507);
        expect((await upload(MB / 2)).status).toBe(200);
        const response = await fetch(`${service.url}${DATA}/entrydata/rows/Thing?fields=Name`, {
          headers: { authorization: `Bearer ${things.person.token}` },
        });
        expect(await response.json()).toMatchObject({
          totalRecords: 2,
          rows: [{ Name: 'With 3000000 bytes' }, { Name: 'With 500000 bytes' }],
        });
      } finally {
        await service.stop();
        await place.remove();
        await rm(filesDir, { recursive: true });
      }
    },
    // Two services start, one after the other.
    240_000,
  );
});
