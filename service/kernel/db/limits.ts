/** How long the database may keep anyone waiting; the same for both. */
export interface Limits {
  /** One statement. */
  statementMs: number;
  /** A connection: the pool's next free one, the server's answer, or the turn on the embedded database. */
  waitMs: number;
}

export const usualLimits: Limits = { statementMs: 30_000, waitMs: 10_000 };
