import { type Kysely, sql } from 'kysely';

const statements = [
  // Rows that are deleted by age are found by it.
  'create index throttle_age on throttle (window_started_at)',
  'create index identity_attempt_expiry on identity_attempt (expires_at)',
  'create index passkey_challenge_expiry on passkey_challenge (expires_at)',
  'create index job_file_link_unused on job_file_link (expires_at) where started_at is null',
  'create index api_key_use_day on api_key_use (day)',
  // Number of the last item whose input is cleared, 2147483647 when those of all items are: clearing goes on behind it instead of
  // reading the items of all ended jobs again.
  'alter table job add column cleared_to int not null default 0',
  'create index job_inputs on job (site_id, finished_at, job_id) where cleared_to < 2147483647',
];

/** Indexes and progress of the deletions that run at intervals (docs/decisions/0043). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
