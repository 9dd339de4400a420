import type { QueryClient } from '@tanstack/react-query';
import { proxy, wrap } from 'comlink';
import { toServiceError } from '../../../api/errors.ts';
import { createBackupDownload } from '../../../api/generated/sdk/backups.gen.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { saveFile } from '../../../files/download.ts';
import { startWorker, rejectOnWorkerError } from '../../../lib/start-worker.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import { toast } from '../../../ui/toast.ts';
import type { Backup } from '../model/backups.ts';
import { removeDownloadJob, showDownloadJob } from './download-job.ts';
import type { FetchOutcome } from './fetcher.ts';
import { startFileCheck } from './file-checks.ts';
import type { SaveTarget } from './file-writer.ts';
import { createResumableDownload } from './resumable-download.ts';
import type { Download, DownloadActions, DownloadItem } from './resumable-download.ts';
import { chooseSaveTarget } from './save-target.ts';
import { deleteStoredFile, getStoredFile } from './stored-downloads.ts';
// The bundler creates this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';
import type { DownloadWorker } from './worker.ts';

const downloads = createStore<ReadonlyMap<string, DownloadItem>>(new Map());

/** Downloads of this tab by file name; they continue across pages. */
export const useDownloads = (): ReadonlyMap<string, DownloadItem> => useStore(downloads);

const FINISHED_PHASES: ReadonlySet<Download['phase']> = new Set(['done', 'failed', 'discarded']);
/** Time for which a finished download can be saved again; then the stored file is deleted. */
const STORED_FILE_TTL_MS = 10 * 60_000;

type BackupFile = Pick<Backup, 'fileName' | 'size' | 'sha256'>;

/** Downloads a backup. Resumes a paused download and does nothing if one is running. */
export async function startDownload(backup: BackupFile, client: QueryClient): Promise<void> {
  const { fileName, size } = backup;
  const existing = downloads.get().get(fileName);
  if (existing?.phase === 'paused') existing.resume();
  if (existing && !FINISHED_PHASES.has(existing.phase)) return;
  try {
    const target = await chooseSaveTarget(fileName, size ?? 0);
    if (target === 'browser') await downloadWithBrowser(fileName, client);
    else if (target) await runDownload(backup, target, client);
  } catch (thrown) {
    const { message } = toServiceError(thrown);
    toast({ title: `${fileName} was not downloaded`, description: message, tone: 'bad' });
  }
}

async function createLink(fileName: string, client: QueryClient) {
  const { data } = await createBackupDownload({ path: { fileName } });
  void invalidateAfter(client, 'createBackupDownload');
  return { ...data, url: new URL(data.url, location.origin).href };
}

/** Leaves the download to the browser, without progress, pause and check, and says so. */
async function downloadWithBrowser(fileName: string, client: QueryClient): Promise<void> {
  const { url, ipAddress } = await createLink(fileName, client);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  toast({
    title: 'Download handed to the browser',
    description: `It cannot be paused or checked here. The link is valid for ${ipAddress}. Compare the SHA-256 of the file with the list.`,
    tone: 'info',
  });
}

async function runDownload(backup: BackupFile, target: SaveTarget, client: QueryClient): Promise<void> {
  const { fileName } = backup;
  const size = backup.size ?? undefined;
  const transfer = await openTransfer(target, { fileName, size }, (received) =>
    resumable.updateProgress(received),
  );
  const { fetchRest, pause, complete, discard, terminate, storedFile } = transfer;
  let isStored = false;
  const deleteStored = async () => {
    if (!isStored) return;
    isStored = false;
    await storedFile?.delete();
  };
  const save = () => void storedFile?.save();
  const getActions = (): DownloadActions => ({
    pause: () => void resumable.pause(),
    resume: () => void resumable.start(),
    discard: () => void resumable.discard(),
    restart: () => void startDownload(backup, client),
    saveAgain: isStored ? save : undefined,
  });
  const show = (download: Download) => {
    if (FINISHED_PHASES.has(download.phase)) {
      terminate();
      // The list of downloads has a new entry.
      void invalidateAfter(client, 'createBackupDownload');
    }
    const item = { ...download, ...getActions() };
    publish(item, deleteStored);
    if (download.phase === 'done') void checkMembers(item, target, deleteStored);
  };
  const resumable = createResumableDownload(
    { fileName, size, sha256: backup.sha256 ?? undefined },
    {
      createLink: () => createLink(fileName, client),
      fetchRest,
      stop: pause,
      async complete() {
        await complete();
        isStored = storedFile !== undefined;
        setTimeout(
          () => void deleteStored().then(() => expireStoredFile(fileName, save)),
          STORED_FILE_TTL_MS,
        );
      },
      discard,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      now: () => Date.now(),
      onChange: show,
    },
  );
  await resumable.start();
}

function updateStore(download: DownloadItem): void {
  const others = new Map(downloads.get());
  if (download.phase === 'discarded') others.delete(download.fileName);
  else others.set(download.fileName, download);
  downloads.set(others);
}

function publish(download: DownloadItem, deleteStored: () => Promise<void>): void {
  updateStore(download);
  if (download.phase === 'discarded') removeDownloadJob(download.fileName);
  else showDownloadJob(download, deleteStored);
}

/** Compares the members of the saved file with its manifest: the hash of the file does not say that the backup was whole. */
async function checkMembers(
  download: DownloadItem,
  target: SaveTarget,
  deleteStored: () => Promise<void>,
): Promise<void> {
  const { fileName, sha256 } = download;
  try {
    const file = await (target.kind === 'file' ? target.file.getFile() : getStoredFile(target.name));
    await startFileCheck(file, {
      fileName,
      knownHash: sha256,
      onChange(check) {
        // The same backup may be downloaded again meanwhile.
        if (downloads.get().get(fileName)?.phase === 'done') showDownloadJob(download, deleteStored, check);
      },
    });
  } catch {
    // The file is gone; the result of the download stays as it is.
  }
}

/** Removes the option to save again once the stored file is deleted. */
function expireStoredFile(fileName: string, save: () => void): void {
  const existing = downloads.get().get(fileName);
  // The same backup may have been downloaded again.
  if (existing?.saveAgain !== save) return;
  updateStore({ ...existing, saveAgain: undefined });
  removeDownloadJob(fileName);
}

// A worker or file that no longer exists needs no cleanup.
const ignoreError = () => undefined;

/** A worker that downloads one file. */
interface Transfer {
  fetchRest: (url: string) => Promise<FetchOutcome>;
  pause: () => Promise<void>;
  /** Finishes writing and, for a stored file, hands it to the user. */
  complete: () => Promise<void>;
  discard: () => Promise<void>;
  /** Ends the worker. */
  terminate: () => void;
  /** Undefined if the file is written directly to its destination. */
  storedFile: { save: () => Promise<void>; delete: () => Promise<void> } | undefined;
}

/** Starts a worker that writes to the target. */
async function openTransfer(
  target: SaveTarget,
  { fileName, size }: { fileName: string; size: number | undefined },
  onProgress: (received: number) => void,
): Promise<Transfer> {
  const worker = startWorker(workerUrl);
  const remote = wrap<DownloadWorker>(worker);
  const alive = rejectOnWorkerError(worker);
  await alive(remote.open(target, size, proxy(onProgress)));
  const storedFile = target.kind === 'stored' ? createStoredFile(target.name, fileName) : undefined;
  return {
    fetchRest: (url) => alive<FetchOutcome>(Promise.resolve(remote.pull(url))),
    pause: () => alive(remote.pause()).catch(ignoreError),
    async complete() {
      await alive(remote.complete());
      await storedFile?.save();
    },
    discard: () => alive(remote.discard()).catch(ignoreError),
    terminate: () => worker.terminate(),
    storedFile,
  };
}

const createStoredFile = (name: string, fileName: string): Transfer['storedFile'] => ({
  save: async () => saveFile(fileName, await getStoredFile(name)),
  delete: () => deleteStoredFile(name).catch(ignoreError),
});
