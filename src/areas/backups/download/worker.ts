import { expose } from 'comlink';
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

/** Downloads one file in a worker: fetching, writing and hashing do not block the page. */
const api = {
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
