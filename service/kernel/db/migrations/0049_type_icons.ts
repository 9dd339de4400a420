import { type Kysely, sql } from 'kysely';

/** Icon of an entry type in the console. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(`alter table entry_type add column icon text not null default 'table'`).execute(db);
}
