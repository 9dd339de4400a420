import { type Kysely, sql } from 'kysely';

const statements = [
  // Creating a link deletes earlier and expired ones, which are many on a site with many new users.
  'create index one_time_link_user on one_time_link (user_id)',
  'create index one_time_link_expiry on one_time_link (expires_at)',
  // Every existing mail contains a link that is valid for a day.
  `alter table mail add column expires_at timestamptz(3) not null default now() + interval '24 hours'`,
  `update mail set expires_at = created_at + interval '24 hours'`,
];

/** Indexes of links by user and by age; expiry of mails. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
