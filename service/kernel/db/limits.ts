/** How long the database may keep anyone waiting; the same for both. */
export interface Limits {
  /** One statement. */
  statementMs: number;
  /** A connection: the pool's next free one, the server's answer, or the turn on the embedded database. */
  waitMs: number;
  /** A transaction between two of its statements; it holds its locks, and the embedded database, all the while. */
  idleMs: number;
}

export const usualLimits: Limits = { statementMs: 30_000, waitMs: 10_000, idleMs: 15_000 };
