import { proxy, releaseProxy, wrap } from 'comlink';
import type { OpenResult, FileWorker } from '../../../files/import-plan/plan-store.ts';
import type { ReadOptions } from '../../../files/table/table.ts';
import { startWorker, rejectOnWorkerError } from '../../../lib/start-worker.ts';
import { dropLateProgress } from './drop-late-progress.ts';
import { createMutex } from './mutex.ts';

/** Starts a worker that holds a file, and connects to it. */
export function openWorkerClient<WorkerApi extends FileWorker>(workerUrl: string) {
  const worker = startWorker(workerUrl);
  const client = wrap<WorkerApi>(worker);
  const fileClient = wrap<FileWorker>(worker);
  const alive = rejectOnWorkerError(worker);
  return {
    remote: client,
    // Comlink passes callbacks to the worker as proxies.
    open: (file: Blob, onProgress: (share: number) => void, as?: ReadOptions): Promise<OpenResult> =>
      dropLateProgress<number, OpenResult>(
        (report) => alive<OpenResult>(fileClient.open(file, proxy(report), as)),
        onProgress,
      ),
    /** Runs checks one after another. */
    runExclusive: createMutex(),
    close: (): void => {
      client[releaseProxy]();
      fileClient[releaseProxy]();
      worker.terminate();
    },
  };
}
