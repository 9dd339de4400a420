import { type Kysely, sql } from 'kysely';

const statements = [
  // Null for a key that does not expire, like all existing keys.
  'alter table api_key add column expires_at timestamptz(3), add column reminded_at timestamptz(3)',
  'create index api_key_ends on api_key (expires_at) where disabled_at is null and expires_at is not null',
  // The last key of a user is looked up whether it is active or not.
  'create index api_key_by_user on api_key (site_id, user_id, client_id)',
];

/** Expiry of API keys. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) {
    // In this order.
    await sql.raw(statement).execute(db);
  }
}
