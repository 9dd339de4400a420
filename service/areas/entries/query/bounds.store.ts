import { type RawBuilder, sql } from 'kysely';
import { invalid } from '../../../kernel/http/errors.ts';

type Sql = RawBuilder<unknown>;

/** An answer is held in memory as a whole: so many bytes of it at most (T16). */
export const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Rows of `built` (columns `at` for their order, `row` with their text) up to the one with which the answer is too large:
 * the database makes the others, but nobody has to hold them.
 */
export const upToBound = (built: Sql): Sql => sql`select * from (
    select *, sum(octet_length("row")) over (order by "at" rows unbounded preceding) as bytes from (${built}) as built
  ) as bounded where bytes - octet_length("row") <= ${MOST_BYTES}`;

/** @throws ApiError 400 when the rows are too large for an answer; `path` names what would make it smaller */
export const requireBound = (rows: readonly { bytes: number }[], path: string): void =>
  requireSize(rows.at(-1)?.bytes ?? 0, path);

/** The same for rows that were not read at all, as they are too large together. */
export function requireSize(bytes: number, path: string): void {
  if (bytes > MOST_BYTES)
    throw invalid([
      {
        path,
        message: `would be answered with more than ${MOST_BYTES / 1024 / 1024} MiB: ask for less at once`,
      },
    ]);
}
