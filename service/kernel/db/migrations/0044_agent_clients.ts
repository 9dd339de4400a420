import { type Kysely, sql } from 'kysely';

const statements = [
  // A key without a secret belongs to a client that a person has connected; its tokens are in agent_token.
  'alter table agent_key alter column secret_hash drop not null',
  // Address of the metadata document of the client (OAuth Client ID Metadata Document).
  'alter table agent_key add column client_id text',
  'alter table agent_key add constraint agent_key_credential check ((secret_hash is null) <> (client_id is null))',
  'create index agent_key_client on agent_key (client_id) where client_id is not null',
  // Authorization codes, access tokens and refresh tokens, as hashes. A token that was used stays until it expires, so that its second use
  // is noticed.
  `create table agent_token (
    token_hash bytea primary key,
    kind text not null,
    site_id int not null,
    key_id int not null,
    payload text not null,
    expires_at timestamptz(3) not null,
    consumed_at timestamptz(3),
    foreign key (site_id, key_id) references agent_key on delete cascade
  )`,
  'create index agent_token_key on agent_token (site_id, key_id)',
  'create index agent_token_age on agent_token (expires_at)',
];

/** Clients that persons connect to the agent server (areas/agent). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
