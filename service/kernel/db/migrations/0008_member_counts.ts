import { type Kysely, sql } from 'kysely';

/**
 * Sums removed and added rows by block; if the license did not change, the sum is zero and no block is updated. The join in
 * 0002_list_blocks.ts that excluded these rows had no row estimates and compared each row with each other.
 */
const body = `insert into list_block
    select site_id, 1, license_type_id::int, user_id & -4096, sum(by)::int
    from (select site_id, license_type_id, user_id, -1 as by from went
      union all select site_id, license_type_id, user_id, 1 from came) as moved
    group by site_id, license_type_id::int, user_id & -4096 having sum(by) <> 0 order by 1, 3, 4
    on conflict (site_id, list, part, first_id) do update set n = list_block.n + excluded.n;`;

/** Makes large updates of memberships linear instead of quadratic in the number of rows. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql
    .raw(
      `create or replace function membership_count_update() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    )
    .execute(db);
}
