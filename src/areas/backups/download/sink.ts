import type { Sink } from './fetcher.ts';
import { FOLDER } from './drop.ts';

/** A file that the person chose, or one that the browser keeps until it is handed over. */
export type Target = { kind: 'chosen'; file: FileSystemFileHandle } | { kind: 'kept'; name: string };

/** What a worker can do with a kept file; the types of the page do not know it. */
interface SyncAccess {
  write: (bytes: Uint8Array<ArrayBuffer>, options: { at: number }) => number;
  truncate: (size: number) => void;
  flush: () => void;
  close: () => void;
}
interface SyncFile extends FileSystemFileHandle {
  createSyncAccessHandle: () => Promise<SyncAccess>;
}

/** The folder of this origin in which files lie until the browser has saved them. */
export const keptFolder = async (): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

/** Opens a target for writing; only in a worker, which alone may write to kept files as they come. */
export const openSink = (target: Target): Promise<Sink> =>
  target.kind === 'chosen' ? chosenSink(target.file) : keptSink(target.name);

interface RemovableFile extends FileSystemFileHandle {
  remove: () => Promise<void>;
}
const isRemovable = (file: FileSystemFileHandle): file is RemovableFile => 'remove' in file;

/** The browser writes beside the chosen file and puts it in place when it is whole: no half file is left. */
async function chosenSink(file: FileSystemFileHandle): Promise<Sink> {
  // A file that was chosen anew is there already, with nothing in it.
  const isNew = (await file.getFile()).size === 0;
  const stream = await file.createWritable();
  return {
    write: (data, position) => stream.write({ type: 'write', position, data }),
    close: () => stream.close(),
    async abandon() {
      await stream.abort();
      if (isNew && isRemovable(file)) await file.remove();
    },
  };
}

const isSync = (file: FileSystemFileHandle): file is SyncFile => 'createSyncAccessHandle' in file;

async function keptSink(name: string): Promise<Sink> {
  const folder = await keptFolder();
  const file = await folder.getFileHandle(name, { create: true });
  if (!isSync(file)) throw new Error('This browser cannot write files piece by piece');
  const access = await file.createSyncAccessHandle();
  access.truncate(0);
  return {
    write: async (bytes, at) => {
      // Less than all of it: no room is left.
      if (access.write(bytes, { at }) < bytes.length) throw new Error('The browser has no more room');
    },
    close: async () => {
      access.flush();
      access.close();
    },
    abandon: async () => {
      access.close();
      await folder.removeEntry(name);
    },
  };
}
