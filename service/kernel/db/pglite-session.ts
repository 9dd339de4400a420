import { Worker } from 'node:worker_threads';
import type { Reply } from './dialect.ts';
import { DbError, faults, toDbError } from './errors.ts';
import type { Answer, Message, Request } from './pglite-messages.ts';
import { askedBytes, readReply } from './pglite-wire.ts';
import { MOST_PLANS, planName } from './prepared.ts';
import { encode } from './values.ts';

interface Waiting {
  resolve: (reply: Uint8Array) => void;
  reject: (error: DbError) => void;
  watchdog: NodeJS.Timeout;
}

/**
 * One life of the thread that owns PGlite. PGlite ignores statement_timeout and cannot be interrupted, so a
 * statement over its limit ends the thread, and with it this session: PostgreSQL recovers at the next opening.
 */
export class Session {
  readonly ready: Promise<void>;
  /** Resolves when the thread no longer touches the folder. */
  readonly gone: Promise<void>;
  /** Why the session is over; undefined while it lives. */
  ended: DbError | undefined;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** Names of the statements whose plans the session keeps, the last used ones last. */
  readonly #plans = new Set<string>();

  constructor(folder: string) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    // The failure is told to whoever opens or asks; nobody may be waiting for this promise itself.
    promise.catch(() => {});
    this.#worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), { argv: [folder] });
    this.#worker.on('message', (message: Message) =>
      'ready' in message ? resolve() : this.#settle(message),
    );
    const fail = (error: DbError) => {
      reject(error);
      this.#end(error);
    };
    this.#worker.on('error', (error) => fail(toDbError(error)));
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    this.gone = gone;
    this.#worker.on('exit', () => {
      fail(new DbError('The embedded database stopped', { code: faults.lost }));
      leave();
    });
  }

  async run(sql: string, parameters: readonly unknown[], limitMs: number): Promise<Reply> {
    const name = planName(sql);
    const isPlanned = name !== undefined && this.#plans.delete(name);
    const forgotten = [...this.#plans].slice(0, Math.max(0, this.#plans.size - MOST_PLANS));
    for (const old of forgotten) this.#plans.delete(old);
    // Before anything waits for an answer: what cannot be put into bytes is not asked.
    const statement = askedBytes({ sql, parameters: parameters.map(encode), name, isPlanned, forgotten });
    const bytes = await this.#ask((id) => ({ id, statement }), limitMs);
    const reply = this.#read(bytes);
    // Only now: a statement that failed may have failed before it was planned.
    if (name !== undefined) this.#plans.add(name);
    return reply;
  }

  /** After what the database does not survive, each further statement would run until the watchdog ends the thread. */
  #read(bytes: Uint8Array): Reply {
    try {
      return readReply(bytes);
    } catch (error) {
      const known = toDbError(error);
      if (known.code === faults.lost) this.kill(known);
      throw known;
    }
  }

  /** Closes the database in good order, then the thread; one that will not close is ended like a crashed one. */
  async stop(limitMs: number): Promise<void> {
    await this.#ask((id) => ({ id, close: true }), limitMs).catch(() => {});
    this.ended ??= new DbError('The database is closed', { code: faults.lost });
    await this.#worker.terminate();
  }

  #ask(request: (id: number) => Request, limitMs: number): Promise<Uint8Array> {
    if (this.ended) return Promise.reject(this.ended);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const watchdog = setTimeout(() => this.#overran(id, limitMs), limitMs);
    this.#waiting.set(id, { resolve, reject, watchdog });
    const said = request(id);
    this.#worker.postMessage(said, 'statement' in said ? [said.statement.buffer] : []);
    return promise;
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    clearTimeout(waiting?.watchdog);
    if ('reply' in answer) waiting?.resolve(answer.reply);
    else this.#failed(waiting, new DbError(answer.failure, { code: faults.lost }));
  }

  /** Nobody knows what state the database was left in: what is asked of it next might never be answered. */
  #failed(waiting: Waiting | undefined, reason: DbError): void {
    waiting?.reject(reason);
    this.kill(reason);
  }

  /** Ends the thread at once, in whatever it does; PostgreSQL recovers at the next opening. */
  kill(reason: DbError): void {
    this.#end(reason);
    void this.#worker.terminate();
  }

  #overran(id: number, limitMs: number): void {
    const text = `The statement ran longer than ${limitMs / 1000} s; the embedded database was restarted`;
    this.#waiting.get(id)?.reject(new DbError(text, { code: faults.tooSlow }));
    const others = 'Another statement ran too long; the embedded database was restarted';
    this.kill(new DbError(others, { code: faults.lost }));
  }

  #end(reason: DbError): void {
    this.ended ??= reason;
    for (const { reject, watchdog } of this.#waiting.values()) {
      clearTimeout(watchdog);
      reject(reason);
    }
    this.#waiting.clear();
  }
}
