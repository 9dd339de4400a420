import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const STORAGE_ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
/** Files without a row are deleted when they are this old: a process that died left them. */
const STRAY_FILE_AGE_MS = 86_400_000;

const getBackupFolder = (dataDir: string): string => join(dataDir, 'backups');

/** Path of a backup's file: named by a random id of the database, never by a name from a request (T10). */
export function getBackupPath(dataDir: string, storageId: string): string {
  if (!STORAGE_ID_PATTERN.test(storageId)) throw new Error('A storage id must be a UUID');
  return join(getBackupFolder(dataDir), `${storageId}.zip`);
}

/** Path of the file while it is being written. */
export const getPartialPath = (dataDir: string, storageId: string): string =>
  `${getBackupPath(dataDir, storageId)}.partial`;

export async function createBackupFolder(dataDir: string): Promise<void> {
  await mkdir(getBackupFolder(dataDir), { recursive: true, mode: 0o700 });
}

/** Gives the written file its final name, durably. */
export async function publishBackupFile(dataDir: string, storageId: string): Promise<void> {
  await rename(getPartialPath(dataDir, storageId), getBackupPath(dataDir, storageId));
  const folder = await open(getBackupFolder(dataDir));
  try {
    await folder.sync();
  } catch {
    // Some file systems do not support fsync on a directory.
  } finally {
    await folder.close();
  }
}

/** Deletes all files of a backup. */
export async function deleteBackupFiles(dataDir: string, storageId: string): Promise<void> {
  await rm(getPartialPath(dataDir, storageId), { force: true });
  await rm(getBackupPath(dataDir, storageId), { force: true });
}

/** Deletes files of no backup and folders of verifications that processes left behind when they died. */
export async function deleteStrayFiles(
  dataDir: string,
  isInUse: (storageId: string) => boolean,
): Promise<void> {
  const names = await readdir(getBackupFolder(dataDir)).catch(() => []);
  for (const name of names) {
    const [storageId] = STORAGE_ID_PATTERN.exec(name) ?? [];
    const path = join(getBackupFolder(dataDir), name);
    // A few.
    const stats = await stat(path).catch(() => undefined);
    const isOld = stats !== undefined && Date.now() - stats.mtimeMs > STRAY_FILE_AGE_MS;
    if (isOld && (storageId === undefined || !isInUse(storageId)))
      await rm(path, { recursive: true, force: true });
  }
}
