import type { Pool } from 'pg';

/** STEWARD_BENCH_ACTIVITY=500000 asks for fewer. */
export const ROWS = Number(process.env['STEWARD_BENCH_ACTIVITY'] ?? 5_000_000);
const PEOPLE = 10_000;
const PIECE = 250_000;

/**
 * So many rows on the first site within the days of the report. A fifth is one program's; of people the busiest have
 * a hundred times what the quiet ones have. Four in ten come from twenty addresses of an office, three from homes on
 * IPv6, the rest from all over a wide network. Types are from four in ten to one in ten thousand.
 */
export async function fillActivity(pool: Pool): Promise<{ people: number[]; program: number }> {
  await pool.query('delete from activity where site_id = 1');
  await pool.query(
    `insert into account (email, email_key, first_name, last_name, home_site_id)
     select n || '@bench.test', n || '@bench.test', 'P' || n, 'Bench', 1 from generate_series(1, $1::int) n`,
    [PEOPLE],
  );
  const { rows } = await pool.query<{ id: number }>(
    `select user_id as id from account where email_key like '%@bench.test' order by 1`,
  );
  const people = rows.map(({ id }) => id);
  const [program = 0] = people;
  for (let from = 1; from <= ROWS; from += PIECE) {
    // oxlint-disable-next-line no-await-in-loop -- a transaction each, in the order of time
    await pool.query(
      `insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id,
         principal_user_id, export_data_type)
       select 1, now() - interval '89.9 days' * (1 - n / $3::float8), $4::int + person, type, source,
         (case when n % 10 < 4 then '203.0.113.' || (person % 20 + 1)
               when n % 10 < 7 then '2001:db8:' || to_hex(person % 5000 + 4096) || '::' || to_hex(person)
               else '10.' || person % 200 || '.' || (person * 7) % 250 || '.' || (n / 10 + person) % 250 end)::inet,
         gen_random_uuid(), case when n % 40 = 7 then $4::int + (person * 31) % 3000 end,
         case when type = 8 then least(4, floor(5 * a * b))::smallint end
       from (select n, a, b, case when who < 0.2 then 0 else 1 + floor(9998 * b * b)::int end as person,
           case when k < 0.40 then 1 when k < 0.52 then 2 when k < 0.64 then 3 when k < 0.90 then 4 when k < 0.91 then 5
                when k < 0.93 then 6 when k < 0.931 then 7 when k < 0.99 then 8 when k < 0.9999 then 9 else 10 end as type,
           case when who < 0.2 then 3 when s < 0.8 then 1 when s < 0.93 then 2 when s < 0.99 then 3 else 4 end as source
         from (select n, random() as a, random() as b, random() as k, random() as s, random() as who
           from generate_series($1::int, $2::int) n) drawn) row`,
      [from, Math.min(ROWS, from + PIECE - 1), ROWS, program],
    );
  }
  await pool.query(
    'vacuum analyze activity, activity_hour, activity_person, activity_from, activity_network, account',
  );
  return { people, program };
}
