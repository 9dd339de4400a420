import { type Kysely, sql } from 'kysely';

/**
 * The address of an account, as a function: in a cluster (docs/scaling.md) accounts are on every server, and a statement that names them with
 * tables of the coordinator is planned at each execution. The statement that authenticates a request reads no other column of theirs.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create function account_email(id int) returns text language plpgsql stable strict as $$
    begin return (select email from account where user_id = id); end $$`.execute(db);
}
