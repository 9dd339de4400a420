import { expose } from 'comlink';
import { checkBackup, UncheckableFileError } from './check-backup.ts';
import type { CheckAnswer } from './check-backup.ts';
import { createFetcher } from './fetcher.ts';
import type { Fetcher, FetchOutcome, FileWriter } from './fetcher.ts';
import { openFileWriter } from './file-writer.ts';
import type { SaveTarget } from './file-writer.ts';

interface OpenFile {
  writer: FileWriter;
  fetcher: Fetcher;
}

const fetchUrl = (url: string, init: RequestInit) => fetch(url, init);

let open: OpenFile | undefined;

function requireOpenFile(): OpenFile {
  if (!open) throw new Error('No file is open');
  return open;
}

/** Downloads or checks one file in a worker: fetching, writing, unpacking and hashing do not block the page. */
const api = {
  async check(
    file: Blob,
    knownHash: string | undefined,
    onProgress: (share: number) => void,
  ): Promise<CheckAnswer> {
    let reported = -1;
    try {
      return await checkBackup(file, knownHash, (share) => {
        const percent = Math.floor(share * 100);
        // A message for each piece of the file would keep the page busy.
        if (percent === reported) return;
        reported = percent;
        onProgress(share);
      });
    } catch (thrown) {
      if (thrown instanceof UncheckableFileError) return { problem: thrown.message, isReadable: true };
      // The browser refuses to read a file that was changed or deleted after it was chosen.
      return {
        problem: 'The file could not be read: it was changed, moved or deleted, or you may not read it.',
        isReadable: false,
      };
    }
  },
  async open(
    target: SaveTarget,
    size: number | undefined,
    onProgress: (received: number) => void,
  ): Promise<void> {
    const writer = await openFileWriter(target);
    open = { writer, fetcher: createFetcher({ writer, size, fetch: fetchUrl, onProgress }) };
  },
  pull: (url: string): Promise<FetchOutcome> => requireOpenFile().fetcher.fetchRest(url),
  pause: (): void => requireOpenFile().fetcher.pause(),
  complete: (): Promise<void> => requireOpenFile().writer.complete(),
  discard: (): Promise<void> => requireOpenFile().writer.discard(),
};

export type DownloadWorker = typeof api;

expose(api);
