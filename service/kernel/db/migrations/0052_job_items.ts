import { type Kysely, sql } from 'kysely';

const statements = [
  // The process reads items as a whole and checks them by the contract, so that the database need not take them apart.
  `alter table job_item
    alter column input type json using input::text::json,
    alter column before type json using before::text::json`,
  // Items are inserted under the lock of their job, and deleted before it. The check of each took as long as the rest of the insert.
  'alter table job_item drop constraint job_item_site_id_job_id_fkey',
];

/** Items of jobs as text (docs/decisions/0065). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
