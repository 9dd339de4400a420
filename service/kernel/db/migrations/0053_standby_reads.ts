import { type Kysely, sql } from 'kysely';

const statements = [
  // The last write of each user, with the transaction that made it: a standby that has this row has the write. No foreign key, whose
  // check would wait for locks on the account. Rows are updated in place as long as a page has room.
  `create table user_write (user_id int primary key, write_id bigint not null) with (fillfactor = 50)`,
  // Whether the process records the writes of users. Processes of earlier versions do not.
  `alter table service_process add column records_writes boolean not null default false`,
];

/** Reads of a standby (docs/decisions/0083). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
