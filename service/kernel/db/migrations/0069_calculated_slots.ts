import { type Kysely, sql } from 'kysely';

/**
 * Fills the slots and searchable texts of calculated fields again: earlier versions emptied them where other calculated fields of entries
 * calculated together had changed. Until then these fields are compared by their values.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`insert into field_job (site_id, field_id, job)
    select site_id, field_id, 'slot' from field where formula is not null and deleted_at is null and slot_state = 'ready'
    union all
    select site_id, field_id, 'search' from field where formula is not null and deleted_at is null and search_state = 'ready'
    on conflict (site_id, field_id, job) do update set after_id = 0`.execute(db);
  await sql`update field set
      slot_state = case when slot_state = 'ready' then 'filling' else slot_state end,
      search_state = case when search_state = 'ready' then 'filling' else search_state end
    where formula is not null and deleted_at is null`.execute(db);
}
