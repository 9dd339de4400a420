import type { FileWriter } from './fetcher.ts';
import { getStorageFolder } from './stored-downloads.ts';

/** Destination of a download: a file chosen by the user, or a file stored by the browser until it is saved. */
export type SaveTarget = { kind: 'file'; file: FileSystemFileHandle } | { kind: 'stored'; name: string };

/** Synchronous access to a stored file, available in workers only and missing in the DOM types. */
interface SyncAccess {
  write: (bytes: Uint8Array<ArrayBuffer>, options: { at: number }) => number;
  truncate: (size: number) => void;
  flush: () => void;
  close: () => void;
}
interface SyncAccessFile extends FileSystemFileHandle {
  createSyncAccessHandle: () => Promise<SyncAccess>;
}

/** Opens a target for writing. Stored files can be written incrementally only in a worker. */
export const openFileWriter = (target: SaveTarget): Promise<FileWriter> =>
  target.kind === 'file' ? openChosenFile(target.file) : openStoredFile(target.name);

interface RemovableFile extends FileSystemFileHandle {
  remove: () => Promise<void>;
}
const isRemovable = (file: FileSystemFileHandle): file is RemovableFile => 'remove' in file;

/** Writes to a chosen file. The browser replaces it only on completion, so that no partial file is left. */
async function openChosenFile(file: FileSystemFileHandle): Promise<FileWriter> {
  // The file picker creates a new file empty.
  const isNew = (await file.getFile()).size === 0;
  const stream = await file.createWritable();
  return {
    write: (data, position) => stream.write({ type: 'write', position, data }),
    complete: () => stream.close(),
    async discard() {
      await stream.abort();
      if (isNew && isRemovable(file)) await file.remove();
    },
  };
}

const supportsSyncAccess = (file: FileSystemFileHandle): file is SyncAccessFile =>
  'createSyncAccessHandle' in file;

async function openStoredFile(name: string): Promise<FileWriter> {
  const folder = await getStorageFolder();
  const file = await folder.getFileHandle(name, { create: true });
  if (!supportsSyncAccess(file)) throw new Error('This browser cannot write files incrementally');
  const access = await file.createSyncAccessHandle();
  access.truncate(0);
  return {
    write: async (bytes, at) => {
      // A short write means that the quota is exhausted.
      if (access.write(bytes, { at }) < bytes.length)
        throw new Error('The browser has no storage space left');
    },
    complete: async () => {
      access.flush();
      access.close();
    },
    discard: async () => {
      access.close();
      await folder.removeEntry(name);
    },
  };
}
