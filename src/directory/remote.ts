import { proxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { ServiceError } from '../api/errors.ts';
import { gate, isSameHolder } from '../api/session-gate.ts';
import type { Holder } from '../api/session-gate.ts';
import { startWorker } from '../lib/start-worker.ts';
import { createStore } from '../ui/store.ts';
import { keepFor } from './drop.ts';
import type { Glance } from './glance.ts';
import type { Status } from './keeper.ts';
import { lookBack } from './store.ts';
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
  /** What the last visit looked at, until the worker can answer. */
  glance: () => Promise<Glance | undefined>;
}

/** What the worker last told, and of whose directory. */
export const told = createStore<{ holder: Holder; status: Told } | undefined>(undefined);

const NO_GROUPS: Told['groups'] = [];

let connection: Connection | undefined;

function end(): void {
  connection?.worker.terminate();
  connection = undefined;
}

/** The worker that keeps this person's directory of this site; one for the page, and none of an earlier person. */
export function connect(holder: Holder): Connection {
  if (connection && isSameHolder(connection.holder, holder)) return connection;
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
  const { promise: spoken, resolve: speaks } = Promise.withResolvers<void>();
  let last: Glance | undefined;
  let hasSpoken = false;
  async function look(): Promise<void> {
    // A browser that keeps nothing has nothing to look back at.
    const kept = await lookBack(holder).catch(() => undefined);
    if (!kept || hasSpoken || connection?.worker !== worker) return;
    last = kept.glance;
    told.set({ holder, status: statusOf(kept) });
  }
  const looked = look();
  const glance = () => Promise.race([looked, spoken]).then(() => last);
  connection = { holder, worker, remote, broken, glance };
  const onStatus = (status: Status) => {
    if (connection?.worker !== worker) return;
    hasSpoken = true;
    last = undefined;
    speaks();
    const before = told.get();
    told.set({
      holder,
      status: { groups: NO_GROUPS, ...(before?.holder === holder && before.status), ...status },
    });
  };
  void remote.open(holder, proxy(onStatus));
  return connection;
}

const statusOf = ({ meta, glance }: NonNullable<Awaited<ReturnType<typeof lookBack>>>): Told => ({
  size: glance.size,
  billable: glance.billable,
  groups: meta.groups,
  complete: meta.complete,
  asOf: meta.asOf,
  reading: false,
  version: glance.changed,
});

// Somebody else holds the session of this browser now: nothing more may be read into this directory.
gate.subscribe(() => {
  if (gate.get() === 'replaced') end();
});
