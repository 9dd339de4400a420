import { type Kysely, sql } from 'kysely';

const statements = [
  // Whoever makes a link looks for an earlier one and for those long over: with a site full of new users, in many rows.
  'create index one_time_link_user on one_time_link (user_id)',
  'create index one_time_link_expiry on one_time_link (expires_at)',
  // Every mail so far brings a link that holds for a day.
  `alter table mail add column expires_at timestamptz(3) not null default now() + interval '24 hours'`,
  `update mail set expires_at = created_at + interval '24 hours'`,
];

/** Links are found by person and by age; a mail says until when it is worth sending. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
