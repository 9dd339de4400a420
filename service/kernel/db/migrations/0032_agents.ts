import { type Kysely, sql } from 'kysely';

const statements = [
  // Switch of the agent server of a site, and the calls of its agents in the current minute. No row: switched on, never called.
  `create table agent_site (
    site_id int primary key references site,
    is_enabled boolean not null default true,
    changed_at timestamptz(3),
    changed_by int,
    minute timestamptz(3) not null default '-infinity',
    minute_calls int not null default 0
  ) with (fillfactor = 50)`,
  // A credential of an agent that reads for a person. The counters belong to the minute and the UTC day beside them.
  `create table agent_key (
    site_id int not null,
    key_id int generated always as identity,
    user_id int not null,
    name text not null,
    secret_hash bytea not null unique,
    -- Null: all entry types.
    entry_type_ids int[],
    -- Null: no budget.
    calls_per_day int,
    created_at timestamptz(3) not null default now(),
    created_by int,
    expires_at timestamptz(3) not null,
    revoked_at timestamptz(3),
    revoked_by int,
    last_used_at timestamptz(3),
    minute timestamptz(3) not null default '-infinity',
    minute_calls int not null default 0,
    minute_rows int not null default 0,
    day date not null default '-infinity',
    day_calls int not null default 0,
    primary key (site_id, key_id),
    foreign key (site_id, user_id) references membership on delete cascade
  ) with (fillfactor = 50)`,
  `create index agent_key_user on agent_key (site_id, user_id)`,
  // One call of a tool. Without foreign keys: the ledger outlives keys, persons and entries.
  `create table agent_call (
    site_id int not null,
    call_id bigint generated always as identity,
    at timestamptz(3) not null,
    key_id int not null,
    key_name text not null,
    user_id int not null,
    tool text not null,
    outcome text not null,
    message text,
    arguments text not null,
    entry_type_id int,
    -- Fields that were read or compared, and the number of values of each; 0 is the name of an entry.
    field_ids int[] not null,
    value_counts int[] not null,
    entry_ids int[] not null,
    rows int not null,
    bytes int not null,
    duration_ms real not null,
    as_of timestamptz(3),
    -- Values that look like instructions: entry id and field id in turn.
    flags int[] not null,
    client_name text not null,
    client_version text not null,
    protocol_version text not null,
    ip text not null,
    primary key (site_id, call_id)
  )`,
  `create index agent_call_time on agent_call (site_id, at)`,
  `create index agent_call_age on agent_call (at)`,
];

/** Keys, switch and ledger of the agent server (areas/agent). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
