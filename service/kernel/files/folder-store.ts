import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getErrorCode } from '../error-code.ts';
import { type BlobInfo, type BlobStore, isBlobName, type LocalFile, requireBlobName } from './blob-store.ts';

/** Blobs as files below a folder, which all processes of the installation share. Local files must be on the same file system. */
export function createFolderStore(root: string): BlobStore {
  const getPath = (name: string): string => join(root, requireBlobName(name));

  async function find(name: string): Promise<BlobInfo | undefined> {
    const stats = await stat(getPath(name)).catch(ignoreNotFound);
    return stats?.isFile() ? { name, size: stats.size, modifiedAt: stats.mtime } : undefined;
  }

  async function put(name: string, { path }: LocalFile): Promise<void> {
    const target = getPath(name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(path, target);
    await syncFolder(dirname(target));
  }

  return {
    kind: 'folder',
    place: root,
    put,
    stage: async (file) => ({ publish: (name) => put(name, file), discard: async () => {} }),
    stat: find,
    read: async (name, range) => createReadStream(getPath(name), range),
    async renew(name, at = new Date()) {
      try {
        await utimes(getPath(name), at, at);
      } catch (error) {
        return ignoreNotFound(error);
      }
      return find(name);
    },
    getLocalPath: getPath,
    delete: (name) => rm(getPath(name), { force: true }),
    async *list(prefix) {
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const files = await readdir(join(root, folder), { withFileTypes: true }).catch(ignoreNotFound);
      for (const file of files ?? []) {
        const name = `${folder}${file.name}`;
        if (file.isFile() && name.startsWith(prefix) && isBlobName(name)) yield name;
      }
    },
    close() {},
  };
}

/** Makes the names in a folder durable. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } catch {
    // Some file systems do not support fsync on a directory.
  } finally {
    await handle.close();
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (getErrorCode(error) !== 'ENOENT') throw error;
}
