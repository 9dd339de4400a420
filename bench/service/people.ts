/** Rows of the first site, for benchmarks of lists and reports. */
import type { Pool } from 'pg';

const BATCH_ROWS = 250_000;

/**
 * Runs a statement that inserts rows once for each batch of their numbers, in a transaction each: `$1` is the first number of the batch, `$2`
 * the last, `$3` the number of all rows; `values` follow.
 */
export async function insertInBatches(
  pool: Pool,
  rows: number,
  statement: string,
  values: readonly unknown[],
): Promise<void> {
  for (let from = 1; from <= rows; from += BATCH_ROWS)
    await pool.query(statement, [from, Math.min(rows, from + BATCH_ROWS - 1), rows, ...values]);
}

/** Adds members with an address each to the first site. Returns their ids in order. */
export async function insertPeople(pool: Pool, count: number): Promise<number[]> {
  await pool.query(
    `insert into account (email, email_key, first_name, last_name, home_site_id)
     select n || '@bench.test', n || '@bench.test', 'P' || n, 'Bench', 1 from generate_series(1, $1::int) n`,
    [count],
  );
  const { rows } = await pool.query<{ id: number }>(
    `insert into membership (site_id, user_id, license_type_id)
     select 1, user_id, 1 + (user_id % 2) from account where email_key like '%@bench.test' order by user_id
     returning user_id as id`,
  );
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}
