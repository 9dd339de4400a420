import type { FilePlace } from '../../kernel/files/file-folder.ts';
import { createFolderStore } from '../../kernel/files/folder-store.ts';

/** A folder for the files of a process and for its blobs. */
export const createFolderPlace = (dataDir: string): FilePlace => ({
  dataDir,
  blobs: createFolderStore(dataDir),
});
