import { proxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { gate } from '../api/session-gate.ts';
import type { Holder } from '../api/session-gate.ts';
import { startWorker } from '../lib/start-worker.ts';
import { createStore } from '../ui/store.ts';
import { keepFor } from './drop.ts';
import type { Status } from './keeper.ts';
import type { DirectoryWorker } from './worker.ts';
// Made by the build.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

type Told = Required<Status>;

interface Connection {
  holder: Holder;
  worker: Worker;
  remote: Remote<DirectoryWorker>;
}

/** What the worker last told, and of whose directory. */
export const told = createStore<{ holder: Holder; status: Told } | undefined>(undefined);

let connection: Connection | undefined;

export const isSame = (a: Holder, b: Holder): boolean => a.userId === b.userId && a.siteId === b.siteId;

function end(): void {
  connection?.worker.terminate();
  connection = undefined;
}

/** The worker that keeps this person's directory of this site; one for the page, and none of an earlier person. */
export function connect(holder: Holder): Remote<DirectoryWorker> {
  if (connection && isSame(connection.holder, holder)) return connection.remote;
  end();
  keepFor(holder);
  const worker = startWorker(workerUrl);
  const remote = wrap<DirectoryWorker>(worker);
  connection = { holder, worker, remote };
  const onStatus = (status: Status) => {
    if (connection?.worker !== worker) return;
    told.set({ holder, status: { ...told.get()?.status, groups: [], ...status } });
  };
  void remote.open(holder, proxy(onStatus));
  return remote;
}

// Somebody else holds the session of this browser now: nothing more may be read into this directory.
gate.subscribe(() => {
  if (gate.get() === 'replaced') end();
});
