import { type Kysely, sql } from 'kysely';

const statements = [
  // Ids of the rows that the owner selected for an export, in their order; null if nothing was selected. Not part of the
  // parameters, which lists of jobs return.
  'alter table job add column selected_ids int[]',
];

/** Selections of exports. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
