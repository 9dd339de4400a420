import { type Kysely, sql } from 'kysely';

/** Second factors belong to the account, for all sites of the user. */
const statements = [
  // Redundant column, because it is read with every user; maintained by areas/access/factors.store.ts.
  'alter table account add column second_factor boolean not null default false',
  // A half-completed sign-in after the password. `tries` counts attempts at the second factor.
  `alter table session
    add column pending text check (pending in ('two-factor', 'enrolment')),
    add column tries smallint not null default 0,
    add column proven_at timestamptz(3) default now(),
    add column verified_by text check (verified_by in ('code', 'passkey', 'recovery-code'))`,
  // The seed is encrypted (kernel/auth/encryption.ts). A new seed is stored beside the old one until its first code is confirmed.
  `create table authenticator (
    user_id int primary key references account on delete cascade,
    seed bytea,
    set_up_at timestamptz(3),
    next_seed bytea,
    last_step bigint not null default 0
  )`,
  `create table passkey (
    passkey_id int generated always as identity primary key,
    user_id int not null references account on delete cascade,
    credential_id text not null unique,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    is_synced boolean not null,
    created_at timestamptz(3) not null default now(),
    last_used_at timestamptz(3)
  )`,
  'create index passkey_by_user on passkey (user_id)',
  `create table passkey_challenge (
    challenge text primary key,
    purpose text not null check (purpose in ('register', 'prove', 'sign-in')),
    user_id int references account on delete cascade,
    expires_at timestamptz(3) not null
  )`,
  `create table recovery_code (
    user_id int not null references account on delete cascade,
    code_hash bytea not null,
    primary key (user_id, code_hash)
  )`,
  `create table known_device (
    user_id int not null references account on delete cascade,
    device_hash bytea not null,
    last_seen_at timestamptz(3) not null default now(),
    primary key (user_id, device_hash)
  )`,
  // One row per day, operation, address and user agent, to show what stops working when the key is turned off (spec 5.3).
  `create table api_key_use (
    client_id int not null references api_key on delete cascade,
    day date not null,
    operation_id text not null,
    ip text not null,
    agent text not null,
    calls int not null,
    primary key (client_id, day, operation_id, ip, agent)
  )`,
  'create index access_token_by_key on access_token (client_id)',
];

/** Two-factor authentication, passkeys, known devices, and the usage of API keys. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) {
    // In this order.
    await sql.raw(statement).execute(db);
  }
}
