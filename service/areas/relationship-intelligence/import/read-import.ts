import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { createGunzip } from 'node:zlib';
import { ApiError, badRequest, retryLater } from '../../../kernel/api-error.ts';
import type { Contract, ContractDocument } from '../../../kernel/http/contract.ts';
import type { CopyBatch, ItemOwner } from './copy-batch.ts';
import {
  createItemReader,
  type ImportContext,
  type ImportReading,
  type ItemBatch,
  MAX_BODY_BYTES,
} from './item-reader.ts';

/** Message to the thread. */
export type ReaderMessage =
  | {
      start: ImportContext;
      isPacked: boolean;
      /** Whether the batches are wanted as rows of COPY too, as soon as they are read. */
      copyFor: ItemOwner | undefined;
    }
  | { bytes: Uint8Array<ArrayBuffer> }
  | { end: true }
  | { batch: number }
  /** The request has ended: nothing of it is wanted any more. */
  | { forget: true };

/** Answer of the thread: `taken` for each chunk, each batch for COPY, the reading without its rows, or the rows of one statement. */
export type ReaderReply =
  | { taken: number }
  | { copy: CopyBatch }
  | { reading: ReadingResult }
  | { rows: ItemBatch }
  | { refusal: { status: number; message: string } };

/** What was read, without the rows. */
interface ReadingResult extends Omit<ImportReading, 'batches'> {
  batchCount: number;
}

/** A body that has arrived and is being read. Its rows are fetched one batch at a time; each may be fetched again. */
export interface OpenReading {
  /** Waits for the end of the reading. @throws ApiError 400 if anything in the body is wrong */
  finish(): Promise<ReadingResult>;
  getBatch(index: number): Promise<ItemBatch>;
  /**
   * Waits until the batch is read, which may be before the end of the reading; undefined after the last one. The method is missing
   * where batches are not available in this form.
   */
  getCopy?(index: number): Promise<CopyBatch | undefined>;
}

/** A body in which a request arrives. */
export interface ImportBody {
  /** Its chunks are handed to the thread; nobody else may read them. */
  stream: Readable;
  /** Whether it is compressed with gzip. */
  isPacked: boolean;
}

/** Bodies up to this size are read without the thread. */
const MAX_INLINE_BYTES = 128 * 1024;
/** Bytes that may wait for the thread: the rows are written while it still reads the rest. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** Memory of the thread: enough for a body at the limit, whose items are parsed one after the other. */
const MAX_WORKER_MEMORY_MB = 1_536;
/** Most of what the thread allocates is garbage soon. */
const MAX_YOUNG_MEMORY_MB = 48;
const WORKER_TIMEOUT_MS = 120_000;
/**
 * Time for which a thread waits for the next body: a plan is sent in requests every twelve seconds. Starting a thread takes a third of the
 * time in which it reads the longest request.
 */
const MAX_IDLE_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;

const tooLarge = (size: string): ApiError =>
  new ApiError(413, `The body has ${size} bytes; this operation accepts at most ${MAX_BODY_BYTES}`);

/** Creates the function that validates an import item with the schema of the contract. */
export function createItemValidator(
  { validateItems }: Pick<Contract, 'validateItems'>,
  kind: ImportContext['kind'],
): Parameters<typeof createItemReader>[1] {
  const schema = kind === 'emails' ? 'EmailImportItem' : 'MeetingImportItem';
  return (body, isStorable) => validateItems(schema, body, isStorable);
}

/**
 * Reads a body and checks its items, long ones in another thread. `handle` is called when the body has arrived; the rows are gone when
 * it ends.
 * @param copyFor wants the batches of long bodies as rows of COPY
 * @throws ApiError 400 or 413 for a body that cannot be read, 503 when the thread fails
 */
export async function readImport<T>(
  { stream, isPacked }: ImportBody,
  context: ImportContext,
  { contract, copyFor }: { contract: Pick<Contract, 'document' | 'validateItems'>; copyFor?: ItemOwner },
  handle: (reading: OpenReading) => Promise<T>,
): Promise<T> {
  const chunks: Buffer[] = [];
  let length = 0;
  const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let next = await iterator.next();
  const maxInlineBytes = isPacked ? 0 : MAX_INLINE_BYTES;
  while (!next.done && length + next.value.length <= maxInlineBytes) {
    chunks.push(next.value);
    length += next.value.length;
    next = await iterator.next();
  }
  if (next.done && !isPacked) {
    const reader = createItemReader(context, createItemValidator(contract, context.kind));
    for (const chunk of chunks) reader.write(chunk);
    const { batches, ...reading } = reader.end();
    return handle({
      finish: async () => requireValid({ ...reading, batchCount: batches.length }),
      getBatch: async (index) => getItem(batches, index),
    });
  }
  const thread = openThread(contract.document);
  try {
    thread.post({ start: context, isPacked, copyFor });
    let sent = 0;
    const send = async (chunk: Buffer) => {
      sent += chunk.length;
      if (sent > MAX_BODY_BYTES) throw tooLarge(`more than ${MAX_BODY_BYTES}`);
      const bytes = detach(chunk);
      thread.post({ bytes }, [bytes.buffer]);
      await thread.untilTaken(sent - MAX_PENDING_BYTES);
    };
    for (const chunk of chunks) await send(chunk);
    for (; !next.done; next = await iterator.next()) await send(next.value);
    thread.post({ end: true });
    return await handle({
      finish: async () => requireValid(await thread.untilRead()),
      getBatch: (index) => thread.fetchBatch(index),
      ...(copyFor && { getCopy: (index: number) => thread.untilCopied(index) }),
    });
  } finally {
    await thread.close();
  }
}

/** The bytes with memory of their own. Chunks of a long body have it already; copies of them take a third more garbage collection. */
function detach(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = chunk;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(chunk);
}

/** @throws ApiError 400 with everything that is wrong */
function requireValid(result: ReadingResult): ReadingResult {
  if (result.errors.length > 0) throw badRequest(result.errors);
  return result;
}

function getItem<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`There is no batch ${index}`);
  return item;
}

const noWaiter = (): void => {};

/** A thread that waits for the next body. */
interface IdleThread {
  worker: Worker;
  document: ContractDocument;
  timer: NodeJS.Timeout;
}

let idleThread: IdleThread | undefined;

/** The thread that waits for a body, or a new one. */
function takeWorker(document: ContractDocument): Worker {
  const waiting = idleThread;
  if (waiting?.document === document) {
    clearTimeout(waiting.timer);
    idleThread = undefined;
    return waiting.worker;
  }
  const worker = new Worker(new URL('./import-worker.ts', import.meta.url), {
    workerData: document,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_WORKER_MEMORY_MB,
      maxYoungGenerationSizeMb: MAX_YOUNG_MEMORY_MB,
    },
  });
  worker.unref();
  // While it waits, nobody else listens.
  worker.on('error', () => {});
  worker.on('exit', () => {
    if (idleThread?.worker === worker) idleThread = undefined;
  });
  return worker;
}

/** Keeps the thread for the next body for a while, unless another one waits already. */
async function leaveWorker(worker: Worker, document: ContractDocument): Promise<void> {
  if (idleThread) {
    await worker.terminate();
    return;
  }
  const timer = setTimeout(() => {
    idleThread = undefined;
    void worker.terminate();
  }, MAX_IDLE_MS).unref();
  idleThread = { worker, document, timer };
}

/** A thread that reads one body. */
function openThread(document: ContractDocument) {
  const worker = takeWorker(document);
  let taken = 0;
  const failures: ApiError[] = [];
  let wake = noWaiter;
  let rows: ItemBatch | undefined;
  let result: ReadingResult | undefined;
  const copies: CopyBatch[] = [];
  const fail = () => {
    failures.push(retryLater(503, 'The body could not be read right now', RETRY_AFTER_SECONDS));
    wake();
  };
  let isFetching = false;
  const receive = (reply: ReaderReply) => {
    if ('taken' in reply) taken = reply.taken;
    else if ('refusal' in reply) failures.push(new ApiError(reply.refusal.status, reply.refusal.message));
    else if ('copy' in reply) copies.push(reply.copy);
    else if ('rows' in reply) rows = reply.rows;
    else result = reply.reading;
    wake();
  };
  worker.on('message', receive);
  worker.on('error', fail);
  worker.on('exit', fail);
  const until = async (isReady: () => boolean): Promise<void> => {
    const timeout = setTimeout(fail, WORKER_TIMEOUT_MS);
    try {
      while (!isReady() && failures.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    } finally {
      clearTimeout(timeout);
    }
    const [failure] = failures;
    if (failure) throw failure;
  };
  const post = (message: ReaderMessage, transfer: ArrayBuffer[] = []) =>
    worker.postMessage(message, transfer);
  return {
    post,
    /** Waits until the thread has taken this many bytes. */
    untilTaken: (bytes: number) => until(() => taken >= bytes),
    async untilRead(): Promise<ReadingResult> {
      await until(() => result !== undefined);
      if (!result) throw new Error('There is no result');
      return result;
    },
    /** The batch as rows of COPY; undefined if the body has no such batch. */
    async untilCopied(index: number): Promise<CopyBatch | undefined> {
      await until(() => copies.length > index || result !== undefined);
      return copies[index];
    },
    async fetchBatch(index: number): Promise<ItemBatch> {
      rows = undefined;
      isFetching = true;
      post({ batch: index });
      await until(() => rows !== undefined);
      isFetching = false;
      if (!rows) throw new Error('There is no batch');
      return rows;
    },
    /** Ends the work for this body. Only a thread that has nothing left to do reads another one. */
    async close(): Promise<void> {
      worker.off('message', receive).off('error', fail).off('exit', fail);
      if (result === undefined || isFetching || failures.length > 0) {
        await worker.terminate();
        return;
      }
      post({ forget: true });
      await leaveWorker(worker, document);
    },
  };
}

/** Unpacks chunks and counts the bytes; `onChunk` gets them in order. */
export function createUnpacker(isPacked: boolean, onChunk: (chunk: Buffer) => void) {
  let length = 0;
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw tooLarge(`more than ${MAX_BODY_BYTES} unpacked`);
    onChunk(chunk);
  };
  if (!isPacked) return { write: async (chunk: Buffer) => take(chunk), end: async () => {} };
  const gunzip = createGunzip();
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => {});
  gunzip.on('data', (chunk: Buffer) => {
    try {
      take(chunk);
    } catch (error) {
      gunzip.destroy();
      reject(error);
    }
  });
  gunzip.on('end', resolve);
  gunzip.on('error', () =>
    reject(new ApiError(400, 'The request cannot be read: its body is not valid gzip, or it is incomplete')),
  );
  const written = (chunk: Buffer) => new Promise<void>((done) => gunzip.write(chunk, () => done()));
  return {
    write: (chunk: Buffer) => Promise.race([written(chunk), ended]),
    end: () => {
      gunzip.end();
      return ended;
    },
  };
}
