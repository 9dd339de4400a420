import { type Kysely, sql } from 'kysely';

const statements = [
  // A document with placeholders; its file is the one of the current version.
  `create table report_template (
    site_id int not null,
    template_id int generated always as identity,
    name text not null,
    description text,
    type_id int not null,
    version int not null,
    -- Raised by every change, also of the name, for If-Match.
    edition int not null default 1,
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now(),
    modified_by int,
    primary key (site_id, template_id)
  )`,
  'create unique index report_template_name on report_template (site_id, lower(name))',
  `create table report_template_version (
    site_id int not null,
    template_id int not null,
    version int not null,
    -- That of the template, so that a backup of some types has their versions only.
    type_id int not null,
    format text not null,
    file_name text not null,
    -- Bytes that count for the storage of the site; 0 once the file is removed.
    size bigint not null,
    byte_count bigint not null,
    sha256 bytea not null,
    content bytea,
    -- The texts with placeholders and their places, so that a check against the schema need not read the file.
    texts jsonb not null,
    created_at timestamptz(3) not null default now(),
    created_by int,
    primary key (site_id, template_id, version),
    foreign key (site_id, template_id) references report_template on delete cascade
  )`,
  ...(
    [
      ['insert', 'new table as added'],
      ['delete', 'old table as removed'],
      ['update', 'old table as removed new table as added'],
    ] as const
  ).map(
    ([event, tables]) => `create trigger report_storage_${event} after ${event} on report_template_version
      referencing ${tables} for each statement execute function count_storage_${event}()`,
  ),
  // What a report contains; its request and state are those of its job, and its file is the one of the job.
  `create table report_result (
    site_id int not null,
    job_id int not null,
    entry_count int not null,
    data_at timestamptz(3) not null,
    data_hash bytea not null,
    reader_count int not null,
    -- Values by entry as packed JSON, for the comparison of two reports; null where they are too large or the file was removed.
    packed_values bytea,
    primary key (site_id, job_id),
    foreign key (site_id, job_id) references job on delete cascade
  )`,
  // Users grant only what they hold: without this nobody could grant the new capability.
  `update user_group set capabilities = array_append(capabilities, 'Manage Report Templates')
    where 'Run Reports' = any(capabilities) and 'Manage Settings' = any(capabilities)
      and not 'Manage Report Templates' = any(capabilities)`,
  `create index job_reports on job (site_id, job_id) where kind = 'report'`,
];

/** Templates of reports, and what reports contain (areas/reports). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
