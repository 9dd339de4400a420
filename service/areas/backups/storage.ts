import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const STORAGE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
/** What no row names and nobody has touched for so long was left by a process that died. */
const STRAY_MS = 86_400_000;

const folderOf = (dataDir: string): string => join(dataDir, 'backups');

/** Where the bytes of a backup lie: under a random id that the database gave, never under a name (T10). */
export function backupPath(dataDir: string, storageId: string): string {
  if (!STORAGE_ID.test(storageId)) throw new Error('A storage id is a UUID');
  return join(folderOf(dataDir), `${storageId}.zip`);
}

/** Where they lie while they are written. */
export const partialPath = (dataDir: string, storageId: string): string =>
  `${backupPath(dataDir, storageId)}.partial`;

export async function makeFolder(dataDir: string): Promise<void> {
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
}

/** Gives the written file its place, so that it is there after a power cut as well. */
export async function keep(dataDir: string, storageId: string): Promise<void> {
  await rename(partialPath(dataDir, storageId), backupPath(dataDir, storageId));
  const folder = await open(folderOf(dataDir));
  try {
    await folder.sync();
  } catch {
    // Some systems have no such thing for a folder.
  } finally {
    await folder.close();
  }
}

/** Removes all that is there of a backup. */
export async function discard(dataDir: string, storageId: string): Promise<void> {
  await rm(partialPath(dataDir, storageId), { force: true });
  await rm(backupPath(dataDir, storageId), { force: true });
}

/** Removes what processes that died have left: files of no backup, and folders of checks. */
export async function sweep(dataDir: string, isKept: (storageId: string) => boolean): Promise<void> {
  const names = await readdir(folderOf(dataDir)).catch(() => []);
  for (const name of names) {
    const [storageId] = STORAGE_ID.exec(name) ?? [];
    const path = join(folderOf(dataDir), name);
    // oxlint-disable-next-line no-await-in-loop -- a few
    const found = await stat(path).catch(() => undefined);
    const isOld = found !== undefined && Date.now() - found.mtimeMs > STRAY_MS;
    if (isOld && (storageId === undefined || !isKept(storageId)))
      // oxlint-disable-next-line no-await-in-loop
      await rm(path, { recursive: true, force: true });
  }
}
