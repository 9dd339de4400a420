/** Folder of the origin private file system with downloads that are written without a file picker. */
const STORAGE_FOLDER = 'backups';

/** Folder of the stored downloads; creates it if necessary. */
export const getStorageFolder = async (): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(STORAGE_FOLDER, { create: true });

/** Deletes all stored downloads. Called at sign-out, so that no backup stays in the browser. */
export async function deleteStoredDownloads(): Promise<void> {
  try {
    const root = await navigator.storage.getDirectory();
    await root.removeEntry(STORAGE_FOLDER, { recursive: true });
  } catch {
    // The folder or the storage does not exist.
  }
}

const LOCK_PREFIX = 'steward-backup-';

/** Protects a file of this tab from `deleteOrphanedFiles` of other tabs, as long as this tab is open. */
export function lockStoredFile(name: string): void {
  void navigator.locks.request(`${LOCK_PREFIX}${name}`, () => new Promise(() => undefined));
}

/** A stored download by name. */
export const getStoredFile = async (name: string): Promise<File> =>
  (await (await getStorageFolder()).getFileHandle(name)).getFile();

export const deleteStoredFile = async (name: string): Promise<void> =>
  (await getStorageFolder()).removeEntry(name);

/** Deletes files of closed tabs: a backup must not stay in the browser longer than needed. */
export async function deleteOrphanedFiles(): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  const names = new Set(held.map(({ name }) => name));
  const folder = await getStorageFolder();
  for await (const name of folder.keys())
    // A file that is being written cannot be removed.
    if (!names.has(`${LOCK_PREFIX}${name}`)) await folder.removeEntry(name).catch(() => undefined);
}
