import { Worker } from 'node:worker_threads';
import { DbError, dbErrorCodes, toDbError } from '../driver/errors.ts';
import {
  type BatchOutcome,
  SessionPlans,
  type Statement,
  StatementBatch,
} from '../driver/statement-batch.ts';
import type { WorkerMessage, WorkerReply, WorkerRequest } from './pglite-messages.ts';
import { decodeReply, encodeBatch } from './pglite-protocol.ts';

interface PendingRequest {
  resolve: (reply: Uint8Array) => void;
  reject: (error: DbError) => void;
  timeout: NodeJS.Timeout;
}

/**
 * One run of the worker thread that owns PGlite. PGlite ignores statement_timeout and cannot be interrupted, so a statement that
 * exceeds its timeout ends the thread and this session with it; PostgreSQL recovers when the folder is opened again.
 */
export class PgliteSession {
  /** Resolves when the database is open; rejects when it cannot be opened. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has exited and no longer uses the folder. */
  readonly exited: Promise<void>;
  /** Why the session ended; undefined while it is usable. */
  endReason: DbError | undefined;
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  #lastRequestId = 0;
  readonly #plans = new SessionPlans();

  /** With `syncsToDisk`, a commit waits until its log is on the disk. */
  constructor(folder: string, syncsToDisk: boolean) {
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    // Whoever opens the database or runs a statement gets the error; without a handler it would end the process.
    ready.promise.catch(() => {});
    const exited = Promise.withResolvers<void>();
    this.exited = exited.promise;
    const fail = (error: DbError) => {
      ready.reject(error);
      this.#end(error);
    };
    this.#worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), {
      argv: syncsToDisk ? [folder, 'fsync'] : [folder],
    });
    this.#worker.on('message', (message: WorkerMessage) =>
      'ready' in message ? ready.resolve() : this.#handleReply(message),
    );
    this.#worker.on('error', (error) => fail(toDbError(error)));
    this.#worker.on('exit', () => {
      fail(new DbError('The embedded database stopped', { code: dbErrorCodes.connectionLost }));
      exited.resolve();
    });
  }

  /** Runs statements in order, in one request to the thread. The timeout is that of all together. */
  async run(statements: readonly Statement[], timeoutMs: number): Promise<BatchOutcome> {
    // Throws for parameters that cannot be encoded, before a request is pending.
    const batch = new StatementBatch(statements, this.#plans);
    const bytes = encodeBatch(batch);
    decodeReply(await this.#send((id) => ({ id, statement: bytes }), timeoutMs), batch);
    const { outcome } = batch;
    const error = outcome.failure?.error;
    // After an error that PostgreSQL does not survive, each further statement would block until its timeout.
    if (error instanceof DbError && error.code === dbErrorCodes.connectionLost) this.kill(error);
    return outcome;
  }

  /** Shuts the database down, then the thread. If the database does not shut down in time, the thread is killed. */
  async stop(timeoutMs: number): Promise<void> {
    await this.#send((id) => ({ id, close: true }), timeoutMs).catch(() => {});
    this.endReason ??= new DbError('The database is closed', { code: dbErrorCodes.connectionLost });
    await this.#worker.terminate();
  }

  /** Ends the thread at once, whatever it is doing; PostgreSQL recovers when the folder is opened again. */
  kill(reason: DbError): void {
    this.#end(reason);
    void this.#worker.terminate();
  }

  #send(createRequest: (id: number) => WorkerRequest, timeoutMs: number): Promise<Uint8Array> {
    if (this.endReason) return Promise.reject(this.endReason);
    this.#lastRequestId += 1;
    const id = this.#lastRequestId;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const timeout = setTimeout(() => this.#handleTimeout(id, timeoutMs), timeoutMs);
    this.#pending.set(id, { resolve, reject, timeout });
    const request = createRequest(id);
    this.#worker.postMessage(request, 'statement' in request ? [request.statement.buffer] : []);
    return promise;
  }

  #handleReply(message: WorkerReply): void {
    const request = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    clearTimeout(request?.timeout);
    if ('reply' in message) {
      request?.resolve(message.reply);
      return;
    }
    // PGlite threw: its state is unknown, and it might not answer the next statement.
    const error = new DbError(message.failure, { code: dbErrorCodes.connectionLost });
    request?.reject(error);
    this.kill(error);
  }

  #handleTimeout(id: number, timeoutMs: number): void {
    const text = `The statement ran longer than ${timeoutMs / 1000} s; the embedded database was restarted`;
    this.#pending.get(id)?.reject(new DbError(text, { code: dbErrorCodes.statementTimeout }));
    const otherText = 'Another statement ran too long; the embedded database was restarted';
    this.kill(new DbError(otherText, { code: dbErrorCodes.connectionLost }));
  }

  #end(reason: DbError): void {
    this.endReason ??= reason;
    for (const { reject, timeout } of this.#pending.values()) {
      clearTimeout(timeout);
      reject(reason);
    }
    this.#pending.clear();
  }
}
