import { type Kysely, sql } from 'kysely';

/**
 * Timestamps have milliseconds like a JavaScript Date, which cursors and comparisons use: with a finer column, `at < cursor` would skip
 * or repeat rows.
 */
const tables = [
  `create table site (
    site_id int generated always as identity primary key,
    slug text not null unique,
    name text not null,
    identity_mode text not null default 'password' check (identity_mode in ('password', 'identity-manager')),
    dedicated_domain text,
    time_zone text not null default 'UTC',
    schema_version int not null default 1,
    created_at timestamptz(3) not null default now()
  )`,
  `create table account (
    user_id int generated always as identity primary key,
    email text not null,
    email_key text not null unique,
    first_name text not null,
    last_name text not null,
    password_hash text,
    federation_id text,
    home_site_id int not null references site,
    failed_count int not null default 0,
    locked_until timestamptz(3),
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now()
  )`,
  `create table membership (
    site_id int not null references site,
    user_id int not null references account,
    is_active boolean not null default true,
    license_type_id smallint not null,
    two_factor_enabled boolean not null default false,
    ip_restrictions_enabled boolean not null default false,
    user_entry_id int,
    version int not null default 1,
    created_at timestamptz(3) not null default now(),
    created_by int,
    modified_at timestamptz(3) not null default now(),
    modified_by int,
    last_active_at timestamptz(3),
    expires_at timestamptz(3),
    primary key (site_id, user_id)
  )`,
  `create table user_group (
    site_id int not null references site,
    group_id int generated always as identity unique,
    name text not null,
    description text,
    capabilities text[] not null default '{}',
    entry_id int,
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now(),
    primary key (site_id, group_id)
  )`,
  `create table group_member (
    site_id int not null,
    group_id int not null,
    user_id int not null,
    primary key (site_id, group_id, user_id),
    foreign key (site_id, group_id) references user_group on delete cascade,
    foreign key (site_id, user_id) references membership on delete cascade
  )`,
  `create table approved_address (
    site_id int not null references site,
    network inet not null,
    note text not null default '',
    created_at timestamptz(3) not null default now(),
    primary key (site_id, network)
  )`,
  `create table session (
    token_hash bytea primary key,
    site_id int not null,
    user_id int not null,
    created_at timestamptz(3) not null default now(),
    last_seen_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    ip text,
    user_agent text,
    foreign key (site_id, user_id) references membership on delete cascade
  )`,
  `create table api_key (
    client_id int generated always as identity primary key,
    site_id int not null,
    user_id int not null,
    secret_hash bytea not null,
    scopes text[] not null,
    created_at timestamptz(3) not null default now(),
    disabled_at timestamptz(3),
    last_used_at timestamptz(3),
    foreign key (site_id, user_id) references membership on delete cascade
  )`,
  `create table access_token (
    token_hash bytea primary key,
    client_id int not null references api_key on delete cascade,
    site_id int not null,
    user_id int not null,
    scopes text[] not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null
  )`,
  `create table one_time_link (
    token_hash bytea primary key,
    purpose text not null check (purpose in ('set-password', 'first-administrator')),
    site_id int not null references site,
    user_id int references account,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    used_at timestamptz(3)
  )`,
  // Log rows outlive the users they name, so they have no foreign keys to users.
  `create table audit_log (
    audit_id bigint generated always as identity primary key,
    site_id int not null references site,
    at timestamptz(3) not null default now(),
    actor_id int,
    proxy_id int,
    action text not null,
    subject_type text not null,
    subject_id text not null,
    ip text,
    request_id text not null,
    changes jsonb not null
  )`,
  `create table activity (
    activity_id bigint generated always as identity primary key,
    site_id int not null references site,
    at timestamptz(3) not null default now(),
    user_id int not null,
    activity_type_id smallint not null,
    source_type_id smallint not null,
    ip_address text,
    session_id uuid,
    principal_user_id int,
    export_data_type smallint
  )`,
  `create table topic (
    site_id int not null references site,
    topic_id int generated always as identity,
    name text not null,
    next bigint not null default 0,
    primary key (site_id, topic_id),
    unique (site_id, name)
  )`,
  `create table topic_event (
    site_id int not null,
    topic_id int not null,
    off bigint not null,
    at timestamptz(3) not null default now(),
    payload jsonb not null,
    primary key (site_id, topic_id, off),
    foreign key (site_id, topic_id) references topic on delete cascade
  )`,
  `create table mail (
    mail_id bigint generated always as identity primary key,
    site_id int references site,
    recipient text not null,
    subject text not null,
    body_text text not null,
    attempts int not null default 0,
    next_attempt_at timestamptz(3) not null default now(),
    sent_at timestamptz(3),
    last_error text,
    created_at timestamptz(3) not null default now()
  )`,
  `create table throttle (
    key text primary key,
    count int not null,
    window_started_at timestamptz(3) not null
  )`,
];

const indexes = [
  'create index account_home_site on account (home_site_id)',
  'create index membership_modified on membership (site_id, modified_at, user_id)',
  'create index membership_license on membership (site_id, license_type_id, user_id)',
  'create index membership_user on membership (user_id)',
  'create unique index user_group_name on user_group (site_id, lower(name))',
  'create index group_member_user on group_member (site_id, user_id, group_id)',
  'create index session_by_user on session (user_id, site_id)',
  'create unique index api_key_live on api_key (site_id, user_id) where disabled_at is null',
  'create index access_token_client on access_token (client_id)',
  'create index access_token_expiry on access_token (expires_at)',
  'create index audit_log_time on audit_log (site_id, at desc)',
  'create index audit_log_subject on audit_log (site_id, subject_type, subject_id, at desc)',
  'create index activity_time on activity (site_id, at desc, activity_id desc)',
  'create index activity_user on activity (site_id, user_id, at desc)',
  'create index mail_due on mail (next_attempt_at) where sent_at is null',
];

/** Sites, users, groups, sessions, API keys, the logs, the outbox and the mail. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [...tables, ...indexes]) await sql.raw(statement).execute(db);
}
