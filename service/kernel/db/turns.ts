import { DbError, faults } from './errors.ts';

const overdue = (ms: number) =>
  new DbError(
    `No turn on the embedded database within ${ms / 1000} s. It has one connection: most likely a statement was ` +
      'sent to the root connection inside a transaction, which must use its own (tx) for everything; or the ' +
      'statement before was slow.',
    { code: faults.busy },
  );

/** Hands one thing to one caller at a time, in the order of asking, with an end to the waiting. */
export class Turns {
  readonly #limitMs: number;
  readonly #queue: (() => void)[] = [];
  #taken = false;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get idle(): boolean {
    return !this.#taken;
  }

  /** Resolves at the caller's turn with the function that ends it. */
  async take(): Promise<() => void> {
    if (this.#taken) await this.#wait();
    this.#taken = true;
    let ended = false;
    return () => {
      if (!ended) this.#next();
      ended = true;
    };
  }

  #wait(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = setTimeout(() => {
      this.#queue.splice(this.#queue.indexOf(turn), 1);
      reject(overdue(this.#limitMs));
    }, this.#limitMs);
    const turn = () => {
      clearTimeout(giveUp);
      resolve();
    };
    this.#queue.push(turn);
    return promise;
  }

  #next(): void {
    const next = this.#queue.shift();
    // The turn passes over without a gap into which a newcomer could step.
    if (next) next();
    else this.#taken = false;
  }
}
