import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BlobStore, isBlobName } from './blob-store.ts';

/** Files without a row are deleted when they are this old: a process that died left them. */
const STRAY_FILE_AGE_MS = 86_400_000;

/** Where a process writes files before they are complete, and where all processes find the complete ones. */
export interface FilePlace {
  dataDir: string;
  blobs: BlobStore;
}

/** Files that are written to the disk of the process under a temporary name and stored as blobs when they are complete. */
export interface FileFolder {
  /** Name of the blob. @throws Error for a name that the service cannot have given */
  getBlobName(name: string): string;
  /** Path of the file while it is being written. */
  getPartialPath(name: string): string;
  create(): Promise<void>;
  /** Stores the written file, durably. */
  publish(name: string, content: { size: number; sha256: Buffer }): Promise<void>;
  /** Deletes the file, complete or not. */
  delete(name: string): Promise<void>;
  /** Names that begin with `start` of the files of this process and of the stored ones, each without its extension, complete or not. */
  list(start: string): Promise<Set<string>>;
  /** Deletes files that processes left behind when they died, and whatever else is in the folder and old. */
  deleteStray(isInUse: (name: string) => boolean): Promise<void>;
}

interface FolderOptions {
  place: FilePlace;
  /** Name of the folder below DATA_DIR, and start of the names of the blobs. */
  folder: string;
  /** Start of every name; names come from the database, never from a request (T10). */
  pattern: RegExp;
  extension: string;
}

const isOld = (modifiedAt: Date | undefined): boolean =>
  modifiedAt !== undefined && Date.now() - modifiedAt.getTime() > STRAY_FILE_AGE_MS;

/** Creates the access to a folder of the data directory, and to the blobs of the same name. */
export function createFileFolder({ place, folder, pattern, extension }: FolderOptions): FileFolder {
  const { dataDir, blobs } = place;
  const root = join(dataDir, folder);
  function getFileName(name: string): string {
    if (pattern.exec(name)?.[0] !== name) throw new Error(`${name} is not the name of a file of ${folder}`);
    return `${name}${extension}`;
  }
  const getBlobName = (name: string): string => `${folder}/${getFileName(name)}`;
  const getPartialPath = (name: string): string => join(root, `${getFileName(name)}.partial`);
  const readNames = () => readdir(root).catch((): string[] => []);
  return {
    getBlobName,
    getPartialPath,
    async create() {
      await mkdir(root, { recursive: true, mode: 0o700 });
    },
    async publish(name, content) {
      const path = getPartialPath(name);
      await blobs.put(getBlobName(name), { path, ...content });
      await rm(path, { force: true });
    },
    async delete(name) {
      await rm(getPartialPath(name), { force: true });
      await blobs.delete(getBlobName(name));
    },
    async list(start) {
      const files = await readNames();
      for await (const name of blobs.list(`${folder}/${start}`)) files.push(name.slice(folder.length + 1));
      const names = files.flatMap((file) => pattern.exec(file)?.[0] ?? []);
      return new Set(names.filter((name) => name.startsWith(start)));
    },
    async deleteStray(isInUse) {
      const isStray = (file: string): boolean => {
        const name = pattern.exec(file)?.[0];
        return name === undefined || !isInUse(name);
      };
      for (const file of await readNames()) {
        const path = join(root, file);
        const stats = isStray(file) ? await stat(path).catch(() => undefined) : undefined;
        if (isOld(stats?.mtime)) await rm(path, { recursive: true, force: true });
      }
      // In a folder they are the same files.
      if (blobs.kind === 'folder') return;
      for await (const name of blobs.list(`${folder}/`))
        if (isBlobName(name) && isStray(name.slice(folder.length + 1)))
          if (isOld((await blobs.stat(name))?.modifiedAt)) await blobs.delete(name);
    },
  };
}

/** Runs `work` with the path of a blob on this machine; a blob that is elsewhere is fetched into its folder first, and deleted after. */
export async function withLocalBlob<T>(
  { dataDir, blobs }: FilePlace,
  name: string,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const localPath = blobs.getLocalPath(name);
  if (localPath !== undefined) return work(localPath);
  // A process that dies leaves it: `deleteStray` deletes what it does not know.
  const path = join(dataDir, dirname(name), `fetched-${randomUUID()}`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await pipeline(await blobs.read(name), createWriteStream(path, { mode: 0o600, flags: 'wx' }), { signal });
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}
