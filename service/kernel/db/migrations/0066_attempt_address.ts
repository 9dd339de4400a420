import { type Kysely, sql } from 'kysely';

/** An attempt names the address that it was sent to, which its destination may have changed since. Null: an attempt from before. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table delivery_attempt add column address text`.execute(db);
}
