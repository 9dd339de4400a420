import { createFolderStore } from '../kernel/blobs/folder-store.ts';
import type { FilePlace } from '../kernel/file-folder.ts';

/** A folder for the files of a process and for its blobs. */
export const createFolderPlace = (dataDir: string): FilePlace => ({
  dataDir,
  blobs: createFolderStore(dataDir),
});
