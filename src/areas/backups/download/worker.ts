import { expose } from 'comlink';
import { createFetcher } from './fetcher.ts';
import type { Fetcher, Pulled, Sink } from './fetcher.ts';
import { openSink } from './sink.ts';
import type { Target } from './sink.ts';

interface Open {
  sink: Sink;
  fetcher: Fetcher;
}

const ask = (url: string, init: RequestInit) => fetch(url, init);

let open: Open | undefined;

function opened(): Open {
  if (!open) throw new Error('No file was opened');
  return open;
}

/** One worker downloads one file: it fetches, writes and hashes away from the page. */
const api = {
  async open(
    target: Target,
    size: number | undefined,
    onProgress: (received: number) => void,
  ): Promise<void> {
    const sink = await openSink(target);
    open = { sink, fetcher: createFetcher({ sink, size, fetch: ask, onProgress }) };
  },
  pull: (url: string): Promise<Pulled> => opened().fetcher.pull(url),
  pause: (): void => opened().fetcher.pause(),
  close: (): Promise<void> => opened().sink.close(),
  abandon: (): Promise<void> => opened().sink.abandon(),
};

export type DownloadWorker = typeof api;

expose(api);
