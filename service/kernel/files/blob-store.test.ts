/** What both kinds of stores promise, and how the S3 store fails. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startObjectStore, type TestObjectStore } from '../../testing/files/object-store.ts';
import { isDiskFull } from '../error-code.ts';
import { metricsRegistry } from '../telemetry/metrics.ts';
import { type BlobStore, describeStoreError, type LocalFile, StoreUnavailableError } from './blob-store.ts';
import { openBlobStore } from './open-store.ts';
import { createS3Store } from './s3-store.ts';

const DAY_MS = 86_400_000;
/** Sent in three parts. */
const LARGE_BYTES = 20 << 20;

let folder = '';
let objects: TestObjectStore;
const stores = new Map<string, BlobStore>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-blobs-'));
  objects = await startObjectStore();
  for (const s3 of [undefined, objects.settings]) {
    const store = await openBlobStore({ s3, dataDir: join(folder, 'store') });
    stores.set(store.kind, store);
  }
});
afterAll(async () => {
  for (const store of stores.values()) store.close();
  await objects.close();
  await rm(folder, { recursive: true });
});

/** A complete file on the disk. */
async function writeLocalFile(content: Buffer): Promise<LocalFile> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, content);
  return { path, size: content.length, sha256: createHash('sha256').update(content).digest() };
}

const getStore = (kind: string): BlobStore => {
  const store = stores.get(kind);
  if (!store) throw new Error(`No store of kind ${kind}`);
  return store;
};
const list = async (store: BlobStore, prefix: string) =>
  (await Array.fromAsync(store.list(prefix))).toSorted();

const read = async (store: BlobStore, name: string) => String(await buffer(await store.read(name)));

describe.each(['folder', 's3'])('a store of the kind %s', (kind) => {
  test.each([
    ['empty', 0],
    ['small', 1_000],
    ['of several parts', LARGE_BYTES],
  ])('returns a file that is %s as it was stored, and each range of it', async (_, size) => {
    const store = getStore(kind);
    const content = randomBytes(size);
    const name = `read/${size}`;
    expect(await store.stat(name)).toBeUndefined();
    await store.put(name, await writeLocalFile(content));
    expect(await store.stat(name)).toMatchObject({ name, size });
    expect((await buffer(await store.read(name))).equals(content)).toBe(true);
    if (size === 0) return;
    for (const [start, end] of [
      [0, 0],
      [1, size - 1],
      [size - 10, size - 1],
      [(8 << 20) - 5, (8 << 20) + 5],
    ] as const) {
      if (end >= size) continue;
      const part = await buffer(await store.read(name, { start, end }));
      expect(part.equals(content.subarray(start, end + 1))).toBe(true);
    }
  });

  test('replaces, lists, renews and deletes blobs', async () => {
    const store = getStore(kind);
    for (const name of ['list/a-1', 'list/a-2', 'list/b-1', 'list/deep/a-3'])
      await store.put(name, await writeLocalFile(Buffer.from('first')));
    await store.put('list/a-1', await writeLocalFile(Buffer.from('second')));
    expect(String(await buffer(await store.read('list/a-1')))).toBe('second');
    expect(await list(store, 'list/')).toEqual(['list/a-1', 'list/a-2', 'list/b-1']);
    expect(await list(store, 'list/a-')).toEqual(['list/a-1', 'list/a-2']);
    expect(await list(store, 'nothing/')).toEqual([]);
    await store.delete('list/a-1');
    await store.delete('list/a-1');
    expect(await list(store, 'list/a')).toEqual(['list/a-2']);
    expect(await store.renew('list/a-1')).toBeUndefined();
    const renewed = await store.renew('list/a-2', new Date(Date.now() + 2 * DAY_MS));
    expect(renewed).toMatchObject({ name: 'list/a-2', size: 5 });
    expect(String(await buffer(await store.read('list/a-2')))).toBe('first');
    await expect(store.read('list/a-1').then(buffer)).rejects.toThrow(/missing|ENOENT/);
  });

  test('shows a staged file under its name only when it is published', async () => {
    const store = getStore(kind);
    const staged = await store.stage(await writeLocalFile(Buffer.from('content')));
    const dropped = await store.stage(await writeLocalFile(Buffer.from('dropped')));
    expect(await list(store, 'published/')).toEqual([]);
    await staged.publish('published/one');
    for (const each of [staged, dropped]) await each.discard();
    expect(String(await buffer(await store.read('published/one')))).toBe('content');
    expect([await list(store, 'published/'), await list(store, 'staged/')]).toEqual([['published/one'], []]);
  });

  test.each(['../secret.key', '/etc/passwd', 'a//b', 'a/../b', '.hidden', '', 'a\\b'])(
    'refuses the name %j (T10)',
    async (name) => {
      const file = await writeLocalFile(Buffer.from('x'));
      const store = getStore(kind);
      await expect(store.put(name, file)).rejects.toThrow('not the name of a blob');
      await expect(store.read(name).then(buffer)).rejects.toThrow('not the name of a blob');
      await expect(store.stat(name)).rejects.toThrow('not the name of a blob');
    },
  );

  test('measures its operations', async () => {
    await getStore(kind).stat('measured');
    expect(await metricsRegistry.metrics()).toMatch(
      new RegExp(
        `steward_blob_operation_duration_seconds_count\\{store="${kind}",operation="stat",outcome="done"\\} [1-9]`,
      ),
    );
  });
});

test('a folder has files that only their owner can read, and nothing else', async () => {
  const store = getStore('folder');
  await store.put('files/ab/abc', await writeLocalFile(Buffer.from('content')));
  expect((await stat(join(folder, 'store', 'files'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, 'store', 'files', 'ab'))).toEqual(['abc']);
  await mkdir(join(folder, 'store', 'files', 'ab', 'inner'));
  await writeFile(join(folder, 'store', 'files', 'ab', '.hidden'), '');
  expect(await list(store, 'files/ab/')).toEqual(['files/ab/abc']);
});

describe('the S3 store', () => {
  test.each([1_000, LARGE_BYTES])(
    'stores nothing of %d bytes that are not those of the hash',
    async (size) => {
      const store = getStore('s3');
      const file = await writeLocalFile(randomBytes(size));
      const damaged = { ...file, sha256: randomBytes(32) };
      await expect(store.put('damaged/one', damaged)).rejects.toThrow(StoreUnavailableError);
      expect(await list(store, 'damaged/')).toEqual([]);
    },
  );

  test('answers 503 with Retry-After while it cannot be reached, and works again after', async () => {
    const store = getStore('s3');
    await store.put('down/one', await writeLocalFile(Buffer.from('content')));
    const file = await writeLocalFile(Buffer.from('other'));
    await objects.stop();
    for (const act of [
      () => store.put('down/two', file),
      () => store.stage(file),
      () => store.stat('down/one'),
      () => store.read('down/one'),
      () => store.renew('down/one'),
      () => store.delete('down/one'),
      () => list(store, 'down/'),
    ]) {
      const error: unknown = await act().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      expect(describeStoreError(error)).toContain('ECONNREFUSED');
    }
    await objects.start();
    expect(await read(store, 'down/one')).toBe('content');
    await store.put('down/two', file);
    expect(await list(store, 'down/')).toEqual(['down/one', 'down/two']);
  });

  test('waits for a store that does not answer no longer than its limit', async () => {
    const store = createS3Store(objects.settings, { requestLimitMs: 300 });
    void objects.fail({ fault: 'hang' });
    const error: unknown = await store.stat('hanging').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 503 });
    expect(describeStoreError(error)).toBe('no answer within 300 ms');
    void objects.fail(undefined);
    expect(await store.stat('hanging')).toBeUndefined();
    store.close();
  });

  test('tries again when the store refuses for the moment', async () => {
    const store = getStore('s3');
    void objects.fail({ fault: { status: 503, code: 'SlowDown' }, times: 2 });
    await store.put('retried/one', await writeLocalFile(Buffer.from('content')));
    expect(await read(store, 'retried/one')).toBe('content');
    const failed = objects.fail({
      matches: ({ url }) => url.includes('partNumber=2'),
      fault: { status: 500, code: 'InternalError' },
      times: 1,
    });
    const large = randomBytes(LARGE_BYTES);
    await store.put('retried/two', await writeLocalFile(large));
    await failed;
    expect((await buffer(await store.read('retried/two'))).equals(large)).toBe(true);
    void objects.fail(undefined);
  });

  test.each([
    [507, 'XMinioStorageFull'],
    [403, 'QuotaExceeded'],
    [507, 'Anything'],
  ])('is full when the store answers %d %s, and nothing is visible then', async (status, code) => {
    const store = getStore('s3');
    void objects.fail({ matches: ({ method }) => method === 'PUT', fault: { status, code } });
    for (const size of [10, LARGE_BYTES]) {
      const error: unknown = await store
        .put('full/one', await writeLocalFile(randomBytes(size)))
        .catch((reason: unknown) => reason);
      expect(isDiskFull(error)).toBe(true);
    }
    void objects.fail(undefined);
    expect(await list(store, 'full/')).toEqual([]);
  });

  test('names a refusal for operators, not for callers', async () => {
    void objects.fail({ fault: { status: 403, code: 'AccessDenied' } });
    const store = getStore('s3');
    const error: unknown = await store.read('refused').catch((reason: unknown) => reason);
    void objects.fail(undefined);
    expect(error).toMatchObject({ status: 503, message: 'The store of files is not available right now' });
    expect(describeStoreError(error)).toBe('AccessDenied');
  });

  test('a missing bucket is an error and not a missing blob', async () => {
    const store = createS3Store({ ...objects.settings, bucket: 'another-bucket' });
    await expect(store.read('any')).rejects.toThrow(StoreUnavailableError);
    await expect(list(store, 'any/')).rejects.toThrow(StoreUnavailableError);
    store.close();
  });

  test('lists more objects than one answer holds', async () => {
    const store = getStore('s3');
    const file = await writeLocalFile(Buffer.from('x'));
    const names = Array.from({ length: 1_050 }, (_, at) => `many/${String(at).padStart(4, '0')}`);
    for (const name of names) await store.put(name, file);
    expect(await list(store, 'many/')).toEqual(names);
  });

  test('a blob that is old is renewed, and one of today is not copied', async () => {
    const store = getStore('s3');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3 * DAY_MS });
    try {
      await store.put('renewed/one', await writeLocalFile(Buffer.from('content')));
    } finally {
      vi.useRealTimers();
    }
    const { modifiedAt = new Date() } = (await store.stat('renewed/one')) ?? {};
    expect(Date.now() - modifiedAt.getTime()).toBeGreaterThan(2.9 * DAY_MS);
    await store.renew('renewed/one');
    const { modifiedAt: renewedAt = new Date(0) } = (await store.stat('renewed/one')) ?? {};
    expect(Date.now() - renewedAt.getTime()).toBeLessThan(DAY_MS);
    void objects.fail({ matches: ({ method }) => method === 'PUT', fault: { status: 403, code: 'NoCopy' } });
    expect(await store.renew('renewed/one')).toMatchObject({ size: 7 });
    void objects.fail(undefined);
  });
});
