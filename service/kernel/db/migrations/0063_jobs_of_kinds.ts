import { type Kysely, sql } from 'kysely';

/** Jobs of some kinds, such as the exports of a site, are found without reading all jobs (areas/jobs). */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index job_of_kind on job (site_id, kind, job_id)`.execute(db);
}
