import { type RawBuilder, sql } from 'kysely';

/**
 * SQL comparison with ids: `= $1` for a single one, which PostgreSQL plans once for all values, otherwise `= any($1)`, which it plans
 * for the number of ids.
 */
export const equalsAny = (ids: readonly number[]): RawBuilder<boolean> => {
  const [id] = ids;
  return ids.length === 1 && id !== undefined ? sql`= ${id}` : sql`= any(${[...ids]}::int[])`;
};
