import { type Kysely, sql } from 'kysely';

const statements = [
  // `file_name` is only a lookup key (T10): the file is stored under `storage_id`. A deleted backup keeps its row, because its
  // downloads remain visible.
  `create table backup (
    site_id int not null references site,
    backup_id int generated always as identity unique,
    file_name text not null,
    storage_id uuid not null default gen_random_uuid(),
    status text not null default 'Queued' check (status in ('Queued', 'Running', 'Ready', 'Failed')),
    type_ids int[],
    entry_types text[] not null,
    includes_files boolean not null,
    notify boolean not null default false,
    is_scheduled boolean not null default false,
    requested_by int,
    created_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    progress smallint not null default 0,
    stage text,
    size bigint,
    sha256 bytea,
    schema_version int,
    failure_reason text check (failure_reason in ('cancelled', 'disk-full', 'interrupted', 'error')),
    failure_message text,
    holder uuid,
    lease_until timestamptz(3),
    verify_state text check (verify_state in ('queued', 'running', 'passed', 'failed')),
    verify_at timestamptz(3),
    verify_message text,
    verify_holder uuid,
    verify_lease_until timestamptz(3),
    deleted_at timestamptz(3),
    primary key (site_id, backup_id),
    unique (site_id, file_name),
    check ((status = 'Failed') = (failure_reason is not null)),
    check (status <> 'Ready' or (size is not null and sha256 is not null))
  )`,
  // At most one running backup per site, for any number of processes and requests.
  `create unique index backup_of_site on backup (site_id) where status in ('Queued', 'Running')`,
  `create index backup_due on backup (backup_id) where status in ('Queued', 'Running') or verify_state in ('queued', 'running')`,
  // Download links and downloads; a link has the hash of its token while it can be used.
  `create table backup_download (
    site_id int not null,
    download_id bigint generated always as identity,
    backup_id int not null,
    user_id int not null,
    ip inet,
    token_hash bytea unique,
    session_id uuid,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3),
    started_at timestamptz(3),
    bytes_sent bigint not null default 0,
    is_complete boolean not null default false,
    primary key (site_id, download_id),
    foreign key (site_id, backup_id) references backup
  )`,
  'create index backup_download_of on backup_download (site_id, backup_id, download_id)',
  `create index backup_download_unused on backup_download (expires_at) where started_at is null`,
  `create table backup_settings (
    site_id int primary key references site,
    is_daily boolean not null default false,
    hour smallint not null default 3 check (hour between 0 and 23),
    keep_days int not null default 30 check (keep_days > 0),
    include_files boolean not null default false,
    verify boolean not null default false,
    last_day date
  )`,
];

/** Backups, their downloads and their schedule. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
