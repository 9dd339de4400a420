import { proxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { setWorkerResend, slowWorkerCalls } from '../api/answer-limit.ts';
import type { SlowCalls } from '../api/answer-limit.ts';
import { ServiceError } from '../api/errors.ts';
import { recordAnswerTime } from '../api/latency.ts';
import { sessionState, isSameIdentity } from '../api/session-state.ts';
import type { SessionIdentity } from '../api/session-state.ts';
import { startWorker } from '../lib/start-worker.ts';
import { createStore } from '../ui/store.ts';
import { recordDirectoryOwner } from './directory-session.ts';
import type { ReplicaStatus } from './replica-api.ts';
import type { QuerySnapshot, StoredSnapshots } from './replica-store.ts';
import { readSnapshots } from './replica-store.ts';
import type { DirectoryWorker } from './worker.ts';
// oxlint-disable-next-line import/default -- the build provides this export
import workerUrl from './worker.ts?worker&url';

type WorkerStatus = Required<ReplicaStatus>;

interface WorkerConnection {
  identity: SessionIdentity;
  worker: Worker;
  api: Remote<DirectoryWorker>;
  /** Rejects if the worker does not start or crashes; its pending calls would never settle. */
  failure: Promise<never>;
  /** Returns the stored snapshot of a query, until the worker has sent its first status. */
  readSnapshot: (queryKey: string) => Promise<QuerySnapshot | undefined>;
}

/** Last status of the worker and the identity it belongs to. */
export const workerStatus = createStore<{ identity: SessionIdentity; status: WorkerStatus } | undefined>(
  undefined,
);

const NO_GROUPS: WorkerStatus['groups'] = [];

let connection: WorkerConnection | undefined;
setWorkerResend(() => void connection?.api.resendReads());

function disconnect(): void {
  connection?.worker.terminate();
  slowWorkerCalls.set({});
  connection = undefined;
}

/** Returns the connection to the directory worker of this identity; a worker of another identity is terminated. */
export function connectWorker(identity: SessionIdentity): WorkerConnection {
  if (connection && isSameIdentity(connection.identity, identity)) return connection;
  disconnect();
  recordDirectoryOwner(identity);
  const worker = startWorker(workerUrl);
  const api = wrap<DirectoryWorker>(worker);
  const { promise: failure, reject } = Promise.withResolvers<never>();
  failure.catch(() => undefined);
  worker.addEventListener('error', () => {
    reject(new ServiceError(0, 'The directory could not be opened'));
    if (connection?.worker === worker) disconnect();
  });
  const { promise: firstStatus, resolve: resolveFirstStatus } = Promise.withResolvers<void>();
  let snapshots: readonly QuerySnapshot[] = [];
  let hasStatus = false;
  async function loadSnapshots(): Promise<void> {
    // Without IndexedDB there are no snapshots.
    const stored = await readSnapshots(identity).catch(() => undefined);
    if (!stored || hasStatus || connection?.worker !== worker) return;
    ({ snapshots } = stored);
    workerStatus.set({ identity, status: toWorkerStatus(stored) });
  }
  const snapshotsLoaded = loadSnapshots();
  const readSnapshot = async (queryKey: string) => {
    await Promise.race([snapshotsLoaded, firstStatus]);
    return snapshots.find((one) => one.queryKey === queryKey);
  };
  connection = { identity, worker, api, failure, readSnapshot };
  const onStatus = (status: ReplicaStatus) => {
    if (connection?.worker !== worker) return;
    hasStatus = true;
    snapshots = [];
    resolveFirstStatus();
    const previous = workerStatus.get();
    workerStatus.set({
      identity,
      status: { groups: NO_GROUPS, ...(previous?.identity === identity && previous.status), ...status },
    });
  };
  const onSlowCalls = (calls: SlowCalls) => {
    if (connection?.worker === worker) slowWorkerCalls.set(calls);
  };
  const onAnswer = (ms: number) => {
    if (connection?.worker === worker) recordAnswerTime(ms);
  };
  void api.open(identity, proxy(onStatus), proxy(onSlowCalls), proxy(onAnswer));
  return connection;
}

const toWorkerStatus = ({ meta, last, snapshots }: StoredSnapshots): WorkerStatus => ({
  size: last.size,
  billable: last.billable,
  groups: meta.groups,
  complete: meta.complete,
  asOf: meta.asOf,
  reading: false,
  // The worker reports no negative version, so answers from outdated snapshots are requested again.
  version: snapshots.every(({ changedRevision }) => changedRevision === meta.changedRevision)
    ? meta.changedRevision
    : -1,
});

// Another session has replaced this one: nothing more may be read into its directory.
sessionState.subscribe(() => {
  if (sessionState.get() === 'replaced') disconnect();
});
