import { proxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { ServiceError } from '../api/errors.ts';
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
  /** Rejects where the worker does not start or fails: what it was asked is never answered then. */
  broken: Promise<never>;
}

/** What the worker last told, and of whose directory. */
export const told = createStore<{ holder: Holder; status: Told } | undefined>(undefined);

const NO_GROUPS: Told['groups'] = [];

let connection: Connection | undefined;

export const isSame = (a: Holder, b: Holder): boolean => a.userId === b.userId && a.siteId === b.siteId;

function end(): void {
  connection?.worker.terminate();
  connection = undefined;
}

/** The worker that keeps this person's directory of this site; one for the page, and none of an earlier person. */
export function connect(holder: Holder): Connection {
  if (connection && isSame(connection.holder, holder)) return connection;
  end();
  keepFor(holder);
  const worker = startWorker(workerUrl);
  const remote = wrap<DirectoryWorker>(worker);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  worker.addEventListener('error', () => {
    reject(new ServiceError(0, 'The directory could not be opened'));
    if (connection?.worker === worker) end();
  });
  connection = { holder, worker, remote, broken };
  const onStatus = (status: Status) => {
    if (connection?.worker !== worker) return;
    const before = told.get();
    told.set({
      holder,
      status: { groups: NO_GROUPS, ...(before?.holder === holder && before.status), ...status },
    });
  };
  void remote.open(holder, proxy(onStatus));
  return connection;
}

// Somebody else holds the session of this browser now: nothing more may be read into this directory.
gate.subscribe(() => {
  if (gate.get() === 'replaced') end();
});
