import { type Kysely, sql } from 'kysely';

/**
 * What went and what came, summed by block: where the license stayed the sum is nothing and no block is written. The
 * join of 0002 that left these rows out knew nothing of how many there are, and compared each with each.
 */
const body = `insert into list_block
    select site_id, 1, license_type_id::int, user_id & -4096, sum(by)::int
    from (select site_id, license_type_id, user_id, -1 as by from went
      union all select site_id, license_type_id, user_id, 1 from came) as moved
    group by site_id, license_type_id::int, user_id & -4096 having sum(by) <> 0 order by 1, 3, 4
    on conflict (site_id, list, part, first_id) do update set n = list_block.n + excluded.n;`;

/** Large updates of memberships take as long as their rows, not as their square. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql
    .raw(
      `create or replace function membership_count_update() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    )
    .execute(db);
}
