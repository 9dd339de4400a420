import { type Kysely, sql } from 'kysely';

/** A destination counts the events that retention deleted before they were delivered, as a consumer does. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table publication_destination add column lost_events bigint not null default 0, add column lost_at timestamptz`.execute(
    db,
  );
}
