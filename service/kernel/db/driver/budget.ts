import { DbError, dbErrorCodes } from './errors.ts';

/** Limits of the waits of a budget, in milliseconds. */
export interface BudgetLimits {
  /** Sum of all waits. */
  totalMs: number;
  /** Longest single wait that ends by itself, because a timeout of its own ends it. */
  singleMs: number;
}

/**
 * The time that one request may wait for the database, for connections and statements together. Each of them has a timeout of its own,
 * but a request with many statements, or with one that is repeated, could wait for any number of those. Only time in which the request
 * waits for the database counts, so that long polls, slow clients and calls of other servers use nothing of it.
 */
export class Budget {
  #totalMs: number;
  readonly #singleMs: number;
  #usedMs = 0;
  /** Waits at this moment: what is executed at the same time counts once. */
  #waitCount = 0;
  #waitsSince = 0;
  #isSpent = false;
  #hasCommitted = false;

  constructor({ totalMs, singleMs }: BudgetLimits) {
    this.#totalMs = totalMs;
    this.#singleMs = singleMs;
  }

  get #leftMs(): number {
    const running = this.#waitCount > 0 ? performance.now() - this.#waitsSince : 0;
    return this.#totalMs - this.#usedMs - running;
  }

  /** Whether no further statement may begin. */
  get isSpent(): boolean {
    return this.#isSpent || this.#leftMs <= 0;
  }

  /** The error of a statement that may not begin or go on. It tells whether the request may simply be repeated. */
  createError(): DbError {
    const code = this.#hasCommitted ? dbErrorCodes.budgetSpentLate : dbErrorCodes.budgetSpent;
    return new DbError('The request waited too long for the database', { code });
  }

  noteCommit(): void {
    this.#hasCommitted = true;
  }

  /** Limits nothing from now on: the response has begun, and its client decides how long it takes. */
  lift(): void {
    this.#totalMs = Infinity;
    this.#isSpent = false;
  }

  /**
   * Counts the time that `wait` takes. The signal it gets fires when `callerSignal` does or the budget is spent. A wait that ends by itself
   * before that needs no timer, which is nearly every one.
   */
  async run<T>(
    wait: (signal: AbortSignal | undefined) => Promise<T>,
    callerSignal?: AbortSignal,
  ): Promise<T> {
    const leftMs = this.#leftMs;
    if (this.#waitCount === 0) this.#waitsSince = performance.now();
    this.#waitCount += 1;
    let timer: NodeJS.Timeout | undefined;
    let signal = callerSignal;
    if (leftMs < this.#singleMs) {
      const controller = new AbortController();
      const end = () => {
        this.#isSpent = true;
        controller.abort();
      };
      timer = setTimeout(end, Math.max(0, leftMs));
      signal = callerSignal ? AbortSignal.any([callerSignal, controller.signal]) : controller.signal;
    }
    try {
      return await wait(signal);
    } finally {
      clearTimeout(timer);
      this.#waitCount -= 1;
      if (this.#waitCount === 0) this.#usedMs += performance.now() - this.#waitsSince;
    }
  }
}
