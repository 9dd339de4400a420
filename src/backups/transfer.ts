import { proxy, wrap } from 'comlink';
import { saveFile } from '../lib/save-file.ts';
import { startWorker, whileAlive } from '../lib/start-worker.ts';
import type { Pulled } from './fetcher.ts';
import { dropKept, keptFile } from './kept.ts';
import type { Target } from './sink.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';
import type { DownloadWorker } from './worker.ts';

// What is not there any more needs no end.
const ignore = () => undefined;

/** A worker that brings one file to its place. */
export interface Transfer {
  pull: (url: string) => Promise<Pulled>;
  pause: () => Promise<void>;
  /** The file is whole: it goes where the person wants it. */
  close: () => Promise<void>;
  abandon: () => Promise<void>;
  /** The worker is needed no more. */
  end: () => void;
  /** Only where the browser keeps the file for a while. */
  kept: { save: () => Promise<void>; drop: () => Promise<void> } | undefined;
}

/** Opens the place of a file in a worker of its own. */
export async function openTransfer(
  target: Target,
  { fileName, size }: { fileName: string; size: number | undefined },
  onProgress: (received: number) => void,
): Promise<Transfer> {
  const worker = startWorker(workerUrl);
  const remote = wrap<DownloadWorker>(worker);
  const alive = whileAlive(worker);
  await alive(remote.open(target, size, proxy(onProgress)));
  const kept = target.kind === 'kept' ? keptAs(target.name, fileName) : undefined;
  return {
    pull: (url) => alive<Pulled>(Promise.resolve(remote.pull(url))),
    pause: () => alive(remote.pause()).catch(ignore),
    async close() {
      await alive(remote.close());
      await kept?.save();
    },
    abandon: () => alive(remote.abandon()).catch(ignore),
    end: () => worker.terminate(),
    kept,
  };
}

const keptAs = (name: string, fileName: string): Transfer['kept'] => ({
  save: async () => saveFile(fileName, await keptFile(name)),
  drop: () => dropKept(name).catch(ignore),
});
