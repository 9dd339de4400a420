import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { ApiError, retryLater } from '../../api-error.ts';
import type { Contract, Operation } from '../contract.ts';
import { type CheckedBody, readJsonBody, readJsonItems, type ReadItems } from './read-body.ts';

/** Bodies above this size are read in another thread: parsing and validating them would delay all other requests. */
export const MAX_INLINE_BODY_BYTES = 256 * 1024;
/** Memory of the thread. A body within the limits of the contract takes a tenth of it. */
const MAX_WORKER_MEMORY_MB = 512;
/** Far above the time of any body within the limits, so that a thread which does not answer is replaced. */
const WORKER_TIMEOUT_MS = 30_000;
const RETRY_AFTER_SECONDS = 2;

/** Message to the thread: a body of an operation, or a list of items. The bytes are transferred, not copied. */
export type BodyJob = { bytes: Uint8Array<ArrayBuffer> } & (
  | { operationId: string }
  | { itemSchema: string; sha256: string }
);

/** Answer of the thread; `refusal` describes an ApiError. */
export type BodyJobReply =
  | { body: CheckedBody }
  | { items: ReadItems }
  | { refusal: { status: number; message: string } };

/** Reads and validates the JSON bodies of all requests of a service. */
export interface BodyReader {
  /**
   * Reads a body within the limits and validates it against the contract (`readJsonBody`).
   * @throws ApiError 400 or 413 for a body that cannot be read, 503 when the thread for large bodies fails
   */
  read(operation: Operation, bytes: Buffer): Promise<CheckedBody>;
  /**
   * Reads a list of items with a schema of the contract (`readJsonItems`).
   * @throws ApiError as `read`
   */
  readItems(itemSchema: string, sha256: string, bytes: Buffer): Promise<ReadItems>;
  /** Number of bodies that were read in the other thread. */
  readonly offloadedCount: number;
  stop(): Promise<void>;
}

/** Creates a reader for the operations of a contract. Its thread starts with the first large body. */
export function createBodyReader(contract: Pick<Contract, 'document' | 'validateItems'>): BodyReader {
  // One body at a time, so that a thread that fails names the body.
  const limit = pLimit(1);
  let worker: Worker | undefined;
  let offloadedCount = 0;

  const getWorker = (): Worker => {
    if (worker) return worker;
    const started = new Worker(new URL('./body-worker.ts', import.meta.url), {
      workerData: contract.document,
      resourceLimits: { maxOldGenerationSizeMb: MAX_WORKER_MEMORY_MB },
    });
    started.unref();
    // Without a listener, a failure between two bodies would end the process.
    started.on('error', () => {});
    started.once('exit', () => forget(started));
    worker = started;
    return started;
  };
  const forget = (ended: Worker): void => {
    if (worker === ended) worker = undefined;
  };

  const runJob = async (job: BodyJob): Promise<Exclude<BodyJobReply, { refusal: object }>> => {
    offloadedCount += 1;
    const used = getWorker();
    const reply = await exchange(used, job);
    if (reply === undefined) {
      forget(used);
      void used.terminate();
      throw retryLater(503, 'The body could not be read right now', RETRY_AFTER_SECONDS);
    }
    if ('refusal' in reply) throw new ApiError(reply.refusal.status, reply.refusal.message);
    return reply;
  };

  return {
    async read(operation, bytes) {
      if (bytes.length <= MAX_INLINE_BODY_BYTES)
        return readJsonBody(bytes, (value, isStorable) => operation.validateBody(value, isStorable));
      const reply = await limit(() => runJob({ operationId: operation.id, bytes: new Uint8Array(bytes) }));
      if ('body' in reply) return reply.body;
      throw new Error('The thread answered another question');
    },
    async readItems(itemSchema, sha256, bytes) {
      if (bytes.length <= MAX_INLINE_BODY_BYTES)
        return readJsonItems(bytes, sha256, (value, isStorable) =>
          contract.validateItems(itemSchema, value, isStorable),
        );
      const reply = await limit(() => runJob({ itemSchema, sha256, bytes: new Uint8Array(bytes) }));
      if ('items' in reply) return reply.items;
      throw new Error('The thread answered another question');
    },
    get offloadedCount() {
      return offloadedCount;
    },
    async stop() {
      await worker?.terminate();
    },
  };
}

/** Sends a job to the thread. Returns its answer, undefined if the thread fails or does not answer in time. */
function exchange(worker: Worker, job: BodyJob): Promise<BodyJobReply | undefined> {
  const { promise, resolve } = Promise.withResolvers<BodyJobReply | undefined>();
  const fail = () => resolve(undefined);
  const timeout = setTimeout(fail, WORKER_TIMEOUT_MS);
  worker.once('message', resolve);
  worker.once('error', fail);
  worker.once('exit', fail);
  worker.postMessage(job, [job.bytes.buffer]);
  return promise.finally(() => {
    clearTimeout(timeout);
    worker.off('message', resolve);
    worker.off('error', fail);
    worker.off('exit', fail);
  });
}
