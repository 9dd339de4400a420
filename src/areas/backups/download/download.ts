import type { QueryClient } from '@tanstack/react-query';
import { proxy, wrap } from 'comlink';
import { markStale } from '../../../api/effects.ts';
import { toServiceError } from '../../../api/errors.ts';
import { createBackupDownload } from '../../../api/generated/sdk.gen.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import type { Backup } from './list.ts';
import { createDownload } from './machine.ts';
import type { Download } from './machine.ts';
import type { Target } from './sink.ts';
import { chooseTarget } from './target.ts';
import { clearFromTray, showInTray } from './tray.ts';
import { saveFile } from '../../../files/save-file.ts';
import { startWorker, whileAlive } from '../../../lib/start-worker.ts';
import type { Pulled } from './fetcher.ts';
import { dropKept, keptFile } from './kept.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';
import type { DownloadWorker } from './worker.ts';

/** What can be done with a download now. */
interface DownloadActs {
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
/** So long can it be saved once more; a backup stays in the browser no longer than it is needed. */
const KEPT_MS = 10 * 60_000;

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
    const { message } = toServiceError(thrown);
    toast({ title: `${fileName} was not downloaded`, description: message, tone: 'bad' });
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
  const size = backup.size ?? undefined;
  const transfer = await openTransfer(target, { fileName, size }, (received) => machine.note(received));
  const { pull, pause, close, abandon, end, kept } = transfer;
  let isKept = false;
  const forget = async () => {
    if (!isKept) return;
    isKept = false;
    await kept?.drop();
  };
  const save = () => void kept?.save();
  const acts = (): DownloadActs => ({
    pause: () => void machine.pause(),
    goOn: () => void machine.go(),
    drop: () => void machine.drop(),
    again: () => void startDownload(backup, client),
    saveAgain: isKept ? save : undefined,
  });
  const show = (download: Download) => {
    if (OVER.has(download.phase)) {
      end();
      // Who downloaded how much of it is another answer now.
      void markStale(client, 'createBackupDownload');
    }
    enter({ ...download, ...acts() }, forget);
  };
  const machine = createDownload(
    { fileName, size, sha256: backup.sha256 ?? undefined },
    {
      newLink: () => newLink(fileName, client),
      pull,
      stop: pause,
      async close() {
        await close();
        isKept = kept !== undefined;
        setTimeout(() => void forget().then(() => forgetSaved(fileName, save)), KEPT_MS);
      },
      abandon,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      now: () => Date.now(),
      onChange: show,
    },
  );
  await machine.go();
}

function put(download: ShownDownload): void {
  const others = new Map(downloads.get());
  if (download.phase === 'dropped') others.delete(download.fileName);
  else others.set(download.fileName, download);
  downloads.set(others);
}

function enter(download: ShownDownload, forget: () => Promise<void>): void {
  put(download);
  if (download.phase === 'dropped') clearFromTray(download.fileName);
  else showInTray(download, forget);
}

/** The browser keeps it no longer: nobody is offered to save it again. */
function forgetSaved(fileName: string, save: () => void): void {
  const known = downloads.get().get(fileName);
  // Meanwhile it may have been downloaded once more.
  if (known?.saveAgain !== save) return;
  put({ ...known, saveAgain: undefined });
  clearFromTray(fileName);
}

// What is not there any more needs no end.
const ignore = () => undefined;

/** A worker that brings one file to its place. */
interface Transfer {
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
async function openTransfer(
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
