import { type Kysely, sql } from 'kysely';

/** Calculated texts have a limit by field; without one it is that of all formulas (contract/rules/formula). */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table field add column formula_max_length int check (formula_max_length between 1 and 1000000)`.execute(
    db,
  );
}
