/** People of the first site, for benchmarks of lists and reports. */
import type { Pool } from 'pg';

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
