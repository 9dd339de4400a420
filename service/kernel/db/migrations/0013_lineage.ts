import { type Kysely, sql } from 'kysely';

/** Partial index to find the entries that were merged into one. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index entry_change_merged on entry_change (site_id, merged_into) where merged_into is not null`.execute(
    db,
  );
}
