import { type Kysely, sql } from 'kysely';

/** Which entries went into one is asked for on its page; few of all entries ever do. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index entry_change_merged on entry_change (site_id, merged_into) where merged_into is not null`.execute(
    db,
  );
}
