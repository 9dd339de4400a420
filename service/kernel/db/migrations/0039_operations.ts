import { type Kysely, sql } from 'kysely';

const statements = [
  // Whether processes that do not know a migration can work on the database after it (kernel/db/migrate.ts).
  `create table migration_phase (
    name text primary key,
    phase text not null check (phase in ('expand', 'contract'))
  )`,
  // Values of the whole installation, such as the id of its folder of files (kernel/files-store.ts).
  'create table installation_value (name text primary key, value text not null)',
];

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
