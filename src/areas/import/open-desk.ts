import { proxy, releaseProxy, wrap } from 'comlink';
import { startWorker, whileAlive } from '../../lib/start-worker.ts';
import type { Opened } from './board.ts';
import type { Reading } from '../../files/read-table.ts';
import type { FileDesk } from './serve-desk.ts';
import { createTurns } from '../../files/turns.ts';
import { untilAnswered } from '../../files/until-answered.ts';

/** A desk in its worker; what it opens and how it ends is the same whatever lies on it. */
export function openDesk<Desk extends FileDesk>(workerUrl: string) {
  const worker = startWorker(workerUrl);
  const desk = wrap<Desk>(worker);
  const files = wrap<FileDesk>(worker);
  const alive = whileAlive(worker);
  return {
    desk,
    // A callback crosses to the worker as a proxy.
    open: (file: Blob, onProgress: (share: number) => void, as?: Reading): Promise<Opened> =>
      untilAnswered<number, Opened>((tell) => alive<Opened>(files.open(file, proxy(tell), as)), onProgress),
    /** One check after the other: each has the desk for itself. */
    inTurn: createTurns(),
    close: (): void => {
      desk[releaseProxy]();
      files[releaseProxy]();
      worker.terminate();
    },
  };
}
