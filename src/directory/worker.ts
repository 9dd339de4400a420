import { expose, transfer } from 'comlink';
import { fetchWithLimit, resendReads, slowCalls } from '../api/answer-limit.ts';
import type { SlowCalls } from '../api/answer-limit.ts';
import { toServiceError } from '../api/errors.ts';
import { client } from '../api/generated/client.gen.ts';
import { lastAnswerTime } from '../api/latency.ts';
import { getActingHeader } from '../api/session-state.ts';
import type { SessionIdentity } from '../api/session-state.ts';
import { openReplicaApi } from './replica-api.ts';
import type { ReplicaApi, ReplicaStatus } from './replica-api.ts';

// A worker cannot show the sign-in dialog: its page does so and repeats the call.
client.setConfig({ fetch: (request) => fetchWithLimit(new Request(request)) });
client.interceptors.error.use((error, response) => toServiceError(error, response));

/** Operations that the worker offers to its page. */
export interface DirectoryWorker extends ReplicaApi {
  /** Opens the replica; must be called first. */
  open: (
    identity: SessionIdentity,
    onStatus: (status: ReplicaStatus) => void,
    onSlowCalls: (calls: SlowCalls) => void,
    onAnswer: (ms: number) => void,
  ) => Promise<void>;
  /** Sends the pending reads again. */
  resendReads: () => void;
}

const { promise: replicaApi, resolve: resolveApi, reject: rejectApi } = Promise.withResolvers<ReplicaApi>();
// Every call awaits the promise and reports the error itself.
replicaApi.catch(() => undefined);

const worker: DirectoryWorker = {
  async open(identity, onStatus, onSlowCalls, onAnswer) {
    lastAnswerTime.subscribe(() => onAnswer(lastAnswerTime.get() ?? 0));
    slowCalls.subscribe(() => onSlowCalls(slowCalls.get()));
    client.setConfig({ headers: Object.fromEntries([getActingHeader(identity)]) });
    await openReplicaApi(identity, onStatus).then(resolveApi, rejectApi);
  },
  resendReads,
  refresh: async (mode) => (await replicaApi).refresh(mode),
  async search(query, near) {
    const answer = await (await replicaApi).search(query, near);
    // A transferred buffer is no longer usable here, and the index may still need its own.
    const ids = answer.ids.slice();
    return transfer({ ...answer, ids }, [ids.buffer]);
  },
  findBest: async (q, limit) => (await replicaApi).findBest(q, limit),
  count: async (q) => (await replicaApi).count(q),
  getRows: async (ids) => (await replicaApi).getRows(ids),
  resolvePastedText: async (text) => (await replicaApi).resolvePastedText(text),
  removeUsers: async (userIds) => (await replicaApi).removeUsers(userIds),
};

expose(worker);
