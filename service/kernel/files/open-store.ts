import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { blobDuration } from '../telemetry/metrics.ts';
import type { BlobStore } from './blob-store.ts';
import { createFolderStore } from './folder-store.ts';

/** Opens the store of the settings. Nothing is connected or written yet. */
export async function openBlobStore({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Promise<BlobStore> {
  if (!s3) return measureStore(createFolderStore(dataDir));
  const { createS3Store } = await import('./s3-store.ts');
  return measureStore(createS3Store(s3));
}

/** Records the duration of each operation; of a read, the time until its first byte can be read. */
function measureStore(store: BlobStore): BlobStore {
  async function measure<T>(operation: string, run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let outcome = 'failed';
    try {
      const result = await run();
      outcome = 'done';
      return result;
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      blobDuration.observe({ store: store.kind, operation, outcome }, seconds);
    }
  }
  return {
    kind: store.kind,
    place: store.place,
    put: (name, file) => measure('put', () => store.put(name, file)),
    async stage(file) {
      const staged = await measure('stage', () => store.stage(file));
      return {
        publish: (name) => measure('publish', () => staged.publish(name)),
        discard: () => staged.discard(),
      };
    },
    stat: (name) => measure('stat', () => store.stat(name)),
    read: (name, range) => measure<Readable>('read', () => store.read(name, range)),
    renew: (name, at) => measure('renew', () => store.renew(name, at)),
    getLocalPath: (name) => store.getLocalPath(name),
    delete: (name) => measure('delete', () => store.delete(name)),
    list: (prefix) => store.list(prefix),
    close: () => store.close(),
  };
}
