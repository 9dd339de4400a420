import { type Kysely, sql } from 'kysely';

/** Finds the open jobs of a user, and those that ended since a time, among all that the user started in a year. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index job_end_of_owner on job (site_id, owner_id, finished_at)`.execute(db);
}
