/** The embedded database: PGlite in a worker thread, one session for the whole process. */
import { Worker } from 'node:worker_threads';
import type { Line, Reply, Source } from './dialect.ts';
import { DbError, toDbError } from './errors.ts';
import type { Message, RawReply, Request, WorkerSettings } from './pglite-messages.ts';
import { decoderOf, encode } from './values.ts';

interface Waiting {
  resolve(reply: RawReply): void;
  reject(error: Error): void;
}

function decoded({ rows, fields, command, affected }: RawReply): Reply {
  const readers = fields.map(({ name, dataTypeID }) => ({ name, read: decoderOf(dataTypeID) }));
  return {
    rows: rows.map((row) =>
      Object.fromEntries(
        readers.map(({ name, read }, index) => {
          const text = row[index] ?? null;
          return [name, text === null ? null : read(text)];
        }),
      ),
    ),
    command,
    affected,
  };
}

class EmbeddedSource implements Source {
  readonly #settings: WorkerSettings;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  start(): Promise<void> {
    const worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), { workerData: this.#settings });
    this.#worker = worker;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.on('message', (message: Message) => ('ready' in message ? resolve() : this.#settle(message)));
    worker.on('error', (cause) => {
      const error = toDbError(cause);
      reject(error);
      for (const { reject: fail } of this.#waiting.values()) fail(error);
      this.#waiting.clear();
    });
    return promise;
  }

  async acquire(): Promise<Line> {
    const { promise: mine, resolve: release } = Promise.withResolvers<void>();
    const before = this.#tail;
    this.#tail = before.then(() => mine);
    await before;
    return {
      run: async (sql, parameters) =>
        decoded(await this.#ask((id) => ({ id, sql, parameters: parameters.map(encode) }))),
      release: () => release(),
    };
  }

  async close(): Promise<void> {
    await this.#ask((id) => ({ id, close: true }));
    await this.#worker?.terminate();
  }

  #ask(request: (id: number) => Request): Promise<RawReply> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
    this.#waiting.set(id, { resolve, reject });
    this.#worker?.postMessage(request(id));
    return promise;
  }

  #settle(message: Exclude<Message, { ready: true }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new DbError(message.error.message, message.error));
    else waiting?.resolve(message.reply);
  }
}

/** Opens the embedded database in a folder, creating it when the folder is empty. */
export async function openEmbedded(folder: string): Promise<Source> {
  const source = new EmbeddedSource({ folder, template: undefined });
  await source.start();
  return source;
}
