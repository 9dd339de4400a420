import { type Kysely, sql } from 'kysely';

const statements = [
  // An ended lease is null everywhere. Processes of the version before wait for one of this version with such a destination.
  'alter table publication_destination alter column lease_until drop not null, alter column lease_until drop default',
  // Raised by each claim of a check; `verify_holder` of earlier versions stays null, so that they write nothing after it.
  'alter table backup add column verify_fence int not null default 0',
];

/** The same columns for the leases of all tables (docs/decisions/0084). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
