import { type Kysely, sql } from 'kysely';

const statements = [
  // The time of the sealed row, which leads to its partition (docs/decisions/0087); null in seals of earlier versions.
  'alter table audit_seal add column at timestamptz(3)',
];

/** Where the row of a seal is. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
