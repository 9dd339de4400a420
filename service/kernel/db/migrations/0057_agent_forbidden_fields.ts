import { type Kysely, sql } from 'kysely';

/** Entry types and fields that no agent of a site may read (areas/agent). */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table agent_site add column forbidden_type_ids int[] not null default '{}',
    add column forbidden_field_ids int[] not null default '{}'`.execute(db);
}
