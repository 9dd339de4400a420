import { type Kysely, sql } from 'kysely';

const statements = [
  // The file that a job made. Its path is derived from the ids and `fence`, the claim under which it was written.
  `create table job_file (
    site_id int not null,
    job_id int not null,
    fence int not null,
    name text not null,
    media_type text not null,
    -- Bytes on the disk, which count for the storage of the site; 0 once the file is removed.
    size bigint not null,
    byte_count bigint not null,
    sha256 bytea not null,
    row_count int not null,
    expires_at timestamptz(3) not null,
    removed_at timestamptz(3),
    primary key (site_id, job_id),
    foreign key (site_id, job_id) references job on delete cascade
  )`,
  'create index job_file_expiry on job_file (expires_at) where removed_at is null',
  // Links to a file: five minutes, one download, one address. A started one is kept for the record of downloads.
  `create table job_file_link (
    token_hash bytea primary key,
    site_id int not null,
    job_id int not null,
    user_id int not null,
    ip inet,
    expires_at timestamptz(3) not null,
    started_at timestamptz(3),
    foreign key (site_id, job_id) references job_file on delete cascade
  )`,
  'create index job_file_link_of_file on job_file_link (site_id, job_id)',
  ...(
    [
      ['insert', 'new table as added'],
      ['delete', 'old table as removed'],
      ['update', 'old table as removed new table as added'],
    ] as const
  ).map(
    ([event, tables]) => `create trigger job_file_storage_${event} after ${event} on job_file
      referencing ${tables} for each statement execute function count_storage_${event}()`,
  ),
  // What an export contained: subject, filter, fields, rows and format.
  'alter table activity add column export_detail jsonb',
];

/** Files that jobs make, and what the activity report says of an export. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
