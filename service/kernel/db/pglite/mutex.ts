import { DbError, dbErrorCodes } from '../driver/errors.ts';

const timeoutError = (timeoutMs: number) =>
  new DbError(
    `The embedded database was busy for ${timeoutMs / 1000} s. It has one connection: most likely a statement was ` +
      'sent to the root connection inside a transaction, which must use its own (tx) for everything; or the ' +
      'previous statement was slow.',
    { code: dbErrorCodes.connectionTimeout },
  );

/** Mutual exclusion for the one connection of the embedded database: first come, first served, with a timeout. */
export class Mutex {
  readonly #timeoutMs: number;
  readonly #queue: (() => void)[] = [];
  #isLocked = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /**
   * Resolves with the function that releases the mutex; calling it again does nothing.
   * @throws DbError (08001) when the mutex is not free within the timeout
   */
  async acquire(): Promise<() => void> {
    if (this.#isLocked) await this.#wait();
    this.#isLocked = true;
    let isReleased = false;
    return () => {
      if (!isReleased) this.#release();
      isReleased = true;
    };
  }

  #wait(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timeout = setTimeout(() => {
      this.#queue.splice(this.#queue.indexOf(proceed), 1);
      reject(timeoutError(this.#timeoutMs));
    }, this.#timeoutMs);
    const proceed = () => {
      clearTimeout(timeout);
      resolve();
    };
    this.#queue.push(proceed);
    return promise;
  }

  #release(): void {
    const proceed = this.#queue.shift();
    // The mutex stays locked while it passes to the next in the queue: a newcomer cannot take it in between.
    if (proceed) proceed();
    else this.#isLocked = false;
  }
}
