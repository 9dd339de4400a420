import type { QueryClient } from '@tanstack/react-query';
import { proxy, wrap } from 'comlink';
import { markStale } from '../api/effects.ts';
import { toServiceError } from '../api/errors.ts';
import { createBackupDownload } from '../api/generated/sdk.gen.ts';
import { saveFile } from '../lib/save-file.ts';
import { startWorker } from '../lib/start-worker.ts';
import { toast } from '../ui/feedback/toast.ts';
import { createStore, useStore } from '../ui/store.ts';
import { dropKept, keptFile } from './kept.ts';
import type { Backup } from './list.ts';
import { createDownload } from './machine.ts';
import type { Download } from './machine.ts';
import type { Target } from './sink.ts';
import { chooseTarget } from './target.ts';
import { clearFromTray, showInTray } from './tray.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';
import type { DownloadWorker } from './worker.ts';

/** What can be done with a download now. */
export interface DownloadActs {
  pause: () => void;
  goOn: () => void;
  drop: () => void;
  again: () => void;
  /** Only while the browser keeps the file. */
  saveAgain: (() => void) | undefined;
}

export type ShownDownload = Download & DownloadActs;

const downloads = createStore<ReadonlyMap<string, ShownDownload>>(new Map());

/** The downloads of this tab by file name, wherever the person goes meanwhile. */
export const useDownloads = (): ReadonlyMap<string, ShownDownload> => useStore(downloads);

const OVER: ReadonlySet<Download['phase']> = new Set(['done', 'failed', 'dropped']);

type Wanted = Pick<Backup, 'fileName' | 'size' | 'sha256'>;

/** Downloads a backup to the disk, from the press of a button on. One that is on its way already goes on. */
export async function startDownload(backup: Wanted, client: QueryClient): Promise<void> {
  const { fileName, size } = backup;
  const known = downloads.get().get(fileName);
  if (known?.phase === 'paused') known.goOn();
  if (known && !OVER.has(known.phase)) return;
  try {
    const target = await chooseTarget(fileName, size ?? 0);
    if (target === 'browser') await leaveToBrowser(fileName, client);
    else if (target) await begin(backup, target, client);
  } catch (thrown) {
    toast({
      title: `${fileName} was not downloaded`,
      description: toServiceError(thrown).message,
      tone: 'bad',
    });
  }
}

async function newLink(fileName: string, client: QueryClient) {
  const { data } = await createBackupDownload({ path: { fileName } });
  void markStale(client, 'createBackupDownload');
  return { ...data, url: new URL(data.url, location.origin).href };
}

/** Nothing of the console sees those bytes: no progress, no pause, no check, and it says so. */
async function leaveToBrowser(fileName: string, client: QueryClient): Promise<void> {
  const { url, ipAddress } = await newLink(fileName, client);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  toast({
    title: 'The browser downloads it by itself',
    description: `It can neither be paused nor checked here. The link holds for ${ipAddress}; compare the SHA-256 of the file with the list.`,
    tone: 'info',
  });
}

async function begin(backup: Wanted, target: Target, client: QueryClient): Promise<void> {
  const { fileName } = backup;
  const worker = startWorker(workerUrl);
  const remote = wrap<DownloadWorker>(worker);
  const kept = target.kind === 'kept' ? target.name : undefined;
  const save = async () => {
    if (kept !== undefined) saveFile(fileName, await keptFile(kept));
  };
  const forget = async () => {
    if (kept !== undefined) await dropKept(kept).catch(() => undefined);
  };
  const machine = createDownload(
    { fileName, size: backup.size ?? undefined, sha256: backup.sha256 ?? undefined },
    {
      newLink: () => newLink(fileName, client),
      pull: (url) => remote.pull(url),
      stop: () => remote.pause(),
      async close() {
        await remote.close();
        await save();
      },
      abandon: () => remote.abandon(),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      now: () => Date.now(),
      onChange: (download) => {
        if (OVER.has(download.phase)) {
          worker.terminate();
          // Who downloaded how much of it is another answer now.
          void markStale(client, 'createBackupDownload');
        }
        show({ ...download, ...acts });
      },
    },
  );
  const acts: DownloadActs = {
    pause: () => void machine.pause(),
    goOn: () => void machine.go(),
    drop: () => void machine.drop(),
    again: () => void startDownload(backup, client),
    saveAgain: kept === undefined ? undefined : () => void save(),
  };
  await remote.open(
    target,
    backup.size ?? undefined,
    proxy((received: number) => machine.note(received)),
  );
  void machine.go();

  function show(download: ShownDownload): void {
    const others = new Map(downloads.get());
    if (download.phase === 'dropped') others.delete(fileName);
    else others.set(fileName, download);
    downloads.set(others);
    if (download.phase === 'dropped') clearFromTray(fileName);
    else showInTray(download, forget);
  }
}
