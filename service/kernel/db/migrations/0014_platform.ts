import { type Kysely, sql } from 'kysely';

const statements = [
  // The license of the agent server (spec 1).
  'alter table site add column has_agent_server boolean not null default false',
  // Platform administrators; initially the first administrator of the installation.
  `create table platform_administrator (
    user_id int primary key references account on delete cascade,
    created_at timestamptz(3) not null default now()
  )`,
  // The OpenID provider of a site, kept when the site switches back to passwords; the secret is encrypted.
  `create table identity_provider (
    site_id int primary key references site on delete cascade,
    issuer text not null,
    client_id text not null,
    client_secret bytea,
    claim text not null default 'sub'
  )`,
  // Sign-ins that were sent to a provider and have not returned.
  `create table identity_attempt (
    state_hash bytea primary key,
    site_id int not null references site on delete cascade,
    nonce text not null,
    verifier text not null,
    expires_at timestamptz(3) not null
  )`,
  'create index account_federation on account (federation_id) where federation_id is not null',
];

/** Platform administrators, and sign-in through identity managers. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) {
    // In this order.
    await sql.raw(statement).execute(db);
  }
}
