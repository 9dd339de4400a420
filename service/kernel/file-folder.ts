import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files without a row are deleted when they are this old: a process that died left them. */
const STRAY_FILE_AGE_MS = 86_400_000;

/** A folder of files that are written under a temporary name and published when they are complete. */
export interface FileFolder {
  /** Path of a file. @throws Error for a name that the service cannot have given */
  getPath(name: string): string;
  /** Path of the file while it is being written. */
  getPartialPath(name: string): string;
  create(): Promise<void>;
  /** Gives the written file its final name, durably. */
  publish(name: string): Promise<void>;
  /** Deletes the file, complete or not. */
  delete(name: string): Promise<void>;
  /** Names of the files, each without its extension, complete or not. */
  list(): Promise<Set<string>>;
  /** Deletes files that processes left behind when they died, and whatever else is in the folder and old. */
  deleteStray(isInUse: (name: string) => boolean): Promise<void>;
}

interface FolderOptions {
  dataDir: string;
  folder: string;
  /** Start of every name; names come from the database, never from a request (T10). */
  pattern: RegExp;
  extension: string;
}

/** Creates the access to a folder of the data directory. */
export function createFileFolder({ dataDir, folder, pattern, extension }: FolderOptions): FileFolder {
  const root = join(dataDir, folder);
  function getPath(name: string): string {
    if (pattern.exec(name)?.[0] !== name) throw new Error(`${name} is not the name of a file of ${folder}`);
    return join(root, `${name}${extension}`);
  }
  const getPartialPath = (name: string): string => `${getPath(name)}.partial`;
  const readNames = () => readdir(root).catch((): string[] => []);
  return {
    getPath,
    getPartialPath,
    async create() {
      await mkdir(root, { recursive: true, mode: 0o700 });
    },
    async publish(name) {
      await rename(getPartialPath(name), getPath(name));
      const handle = await open(root);
      try {
        await handle.sync();
      } catch {
        // Some file systems do not support fsync on a directory.
      } finally {
        await handle.close();
      }
    },
    async delete(name) {
      await rm(getPartialPath(name), { force: true });
      await rm(getPath(name), { force: true });
    },
    async list() {
      return new Set((await readNames()).flatMap((file) => pattern.exec(file)?.[0] ?? []));
    },
    async deleteStray(isInUse) {
      for (const file of await readNames()) {
        const name = pattern.exec(file)?.[0];
        const path = join(root, file);
        const stats = await stat(path).catch(() => undefined);
        const isOld = stats !== undefined && Date.now() - stats.mtimeMs > STRAY_FILE_AGE_MS;
        if (isOld && (name === undefined || !isInUse(name))) await rm(path, { recursive: true, force: true });
      }
    },
  };
}
