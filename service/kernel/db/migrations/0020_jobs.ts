import { type Kysely, sql } from 'kysely';

const statements = [
  // A job is claimed by raising `fence` and setting `lease_until`; every transaction of the job locks its row and compares the
  // fence, so that a process whose lease has lapsed writes nothing. A running job without a lease is between two turns.
  `create table job (
    site_id int not null references site,
    job_id int generated always as identity unique,
    kind text not null,
    -- What was asked, in words; names are those of the time of the request.
    title text not null,
    state text not null default 'waiting'
      check (state in ('uploading', 'waiting', 'running', 'paused', 'finished', 'cancelled', 'stopped')),
    owner_id int not null,
    -- The user for whom the owner acted when the job was started, and the report that records it.
    principal_id int,
    report_id int,
    -- Scopes of the access token that started the job; null for a session.
    scopes text[],
    is_proven boolean not null,
    is_federated boolean not null,
    ip text not null,
    request_id text not null,
    -- What applies to all items, as the kind validated it.
    parameters jsonb not null,
    total int not null,
    done int not null default 0,
    unchanged int not null default 0,
    conflicts int not null default 0,
    failed int not null default 0,
    -- Failed items that the check before the first change refused; null if the items were not checked.
    refused int,
    inverse_of int,
    after_job_id int,
    not_before timestamptz(3),
    created_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    -- Why a stopped job ended before its last item.
    stop_reason text,
    fence int not null default 0,
    lease_until timestamptz(3),
    last_turn_at timestamptz(3),
    -- Consecutive turns that ended with an error of the service; the job waits until retry_at and stops after the last attempt.
    attempts int not null default 0,
    retry_at timestamptz(3),
    last_error text,
    primary key (site_id, job_id)
  )`,
  `create index job_due on job (last_turn_at nulls first, job_id) where state in ('waiting', 'running')`,
  `create index job_of_owner on job (site_id, owner_id, job_id)`,
  `create index job_finished on job (finished_at) where finished_at is not null`,
  // One row per item in the order of the request. State: 0 open, 1 done, 2 unchanged, 3 conflict, 4 failed.
  `create table job_item (
    site_id int not null,
    job_id int not null,
    item_no int not null,
    input jsonb not null,
    -- Name and a second text of what the item changes, such as the e-mail address of a user, at the time of the request.
    label text,
    detail text,
    state smallint not null default 0 check (state between 0 and 4),
    reason text,
    -- What the item replaced, for the inverse.
    before jsonb,
    ended_at timestamptz(3),
    primary key (site_id, job_id, item_no),
    foreign key (site_id, job_id) references job on delete cascade
  )`,
  // One row per received part of the items of a job that are uploaded; its items are rows of job_item.
  `create table job_part (
    site_id int not null,
    job_id int not null,
    part_no int not null,
    first_item int not null,
    item_count int not null,
    byte_count int not null,
    -- SHA-256 of the request body.
    hash bytea not null,
    received_at timestamptz(3) not null default clock_timestamp(),
    primary key (site_id, job_id, part_no),
    foreign key (site_id, job_id) references job on delete cascade
  )`,
  `create index job_uploading on job (created_at) where state = 'uploading'`,
  `create index job_item_state on job_item (site_id, job_id, state, item_no)`,
];

/** Jobs: long work that the service runs in the background (service/kernel/jobs). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
