import { expose, transfer } from 'comlink';
import { toServiceError } from '../api/errors.ts';
import { client } from '../api/generated/client.gen.ts';
import { actingHeader } from '../api/session-gate.ts';
import type { Holder } from '../api/session-gate.ts';
import { openKeeper } from './keeper.ts';
import type { Keeper, Status } from './keeper.ts';

// A worker has no dialog to sign in again: its page asks for that and has it try once more.
client.setConfig({ fetch: (request) => fetch(request) });
client.interceptors.error.use((error, response) => toServiceError(error, response));

/** What the worker offers to its page. */
export interface DirectoryWorker extends Keeper {
  /** Comes first. */
  open: (holder: Holder, onStatus: (status: Status) => void) => Promise<void>;
}

const { promise: keeper, resolve: opened, reject: failed } = Promise.withResolvers<Keeper>();
// Told to whoever asks.
keeper.catch(() => undefined);

const worker: DirectoryWorker = {
  async open(holder, onStatus) {
    client.setConfig({ headers: Object.fromEntries([actingHeader(holder)]) });
    await openKeeper(holder, onStatus).then(opened, failed);
  },
  bringUpToDate: async (wish) => (await keeper).bringUpToDate(wish),
  async search(query, near) {
    const answer = await (await keeper).search(query, near);
    // What is handed over is gone here, and the index may still need its own.
    const ids = answer.ids.slice();
    return transfer({ ...answer, ids }, [ids.buffer]);
  },
  findBest: async (q, limit) => (await keeper).findBest(q, limit),
  rowsOf: async (ids) => (await keeper).rowsOf(ids),
  resolve: async (text) => (await keeper).resolve(text),
  forget: async (userIds) => (await keeper).forget(userIds),
};

expose(worker);
