import type { SaveTarget } from './file-writer.ts';
import { lockStoredFile, deleteOrphanedFiles } from './stored-downloads.ts';

interface PickerOptions {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}

declare global {
  interface Window {
    /** Chromium only, in a secure context. */
    showSaveFilePicker?: (options: PickerOptions) => Promise<FileSystemFileHandle>;
  }
}

const ZIP_TYPES = [{ description: 'Backup', accept: { 'application/zip': ['.zip'] } }];
// The browser copies the stored file when it is saved.
const COPY_COUNT = 2;

/** How the browser can save a large file: to a chosen file, by way of its storage, or with its own download. */
export type SaveMethod = 'file' | 'stored' | 'browser';

const hasSpace = async (size: number): Promise<boolean> => {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  return quota - usage > size * COPY_COUNT;
};

/**
 * Chooses the destination of a file, with a file picker where available; undefined if the user cancelled. Must be called
 * first in a click handler, because the picker requires user activation.
 */
export async function chooseSaveTarget(
  name: string,
  size: number,
): Promise<SaveTarget | 'browser' | undefined> {
  if (window.showSaveFilePicker) {
    try {
      return {
        kind: 'file',
        file: await window.showSaveFilePicker({ suggestedName: name, types: ZIP_TYPES }),
      };
    } catch (thrown) {
      if (thrown instanceof DOMException && thrown.name === 'AbortError') return undefined;
    }
  }
  if (!isSecureContext || !('locks' in navigator) || !('getDirectory' in navigator.storage)) return 'browser';
  try {
    await deleteOrphanedFiles();
    if (!(await hasSpace(size))) return 'browser';
  } catch {
    // Private windows may deny storage.
    return 'browser';
  }
  const storedName = crypto.randomUUID();
  lockStoredFile(storedName);
  return { kind: 'stored', name: storedName };
}

/** Save method that a click would use, without checking the available storage. */
export const getSaveMethod = (): SaveMethod => {
  if (window.showSaveFilePicker) return 'file';
  return isSecureContext && 'storage' in navigator && 'getDirectory' in navigator.storage
    ? 'stored'
    : 'browser';
};
