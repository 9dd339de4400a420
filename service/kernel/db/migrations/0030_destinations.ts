import { type Kysely, sql } from 'kysely';

const statements = [
  // An address to which the events of a topic are pushed, one after the other in the order of the topic.
  `create table publication_destination (
    site_id int not null,
    destination_id int generated always as identity unique,
    topic_id int not null,
    name text not null,
    url text not null,
    -- Signing key, encrypted with the key of the installation.
    secret bytea not null,
    -- Offset of the first event that has not been delivered.
    next bigint not null,
    is_enabled boolean not null default true,
    -- Failures in a row, and since when; after 3 days the service switches the destination off.
    failures int not null default 0,
    failing_since timestamptz(3),
    next_attempt_at timestamptz(3) not null default now(),
    disabled_reason text,
    -- The process that delivers; a process whose lease has lapsed moves nothing (fence).
    lease_until timestamptz(3) not null default now(),
    fence int not null default 0,
    version int not null default 1,
    created_at timestamptz(3) not null default now(),
    primary key (site_id, destination_id),
    foreign key (site_id, topic_id) references topic on delete cascade
  )`,
  `create unique index publication_destination_name on publication_destination (site_id, lower(name))`,
  `create index publication_destination_topic on publication_destination (site_id, topic_id)`,
  // One HTTP request to a destination.
  `create table delivery_attempt (
    site_id int not null,
    destination_id int not null,
    attempt_id bigint generated always as identity,
    off bigint not null,
    event_id uuid not null,
    at timestamptz(3) not null default now(),
    duration_ms int not null,
    -- Null when there was no answer.
    status int,
    -- The first characters of the answer, or why there was none.
    detail text not null,
    primary key (site_id, destination_id, attempt_id),
    foreign key (site_id, destination_id) references publication_destination on delete cascade
  )`,
  `create index delivery_attempt_age on delivery_attempt (at)`,
];

/** Addresses to which events are pushed, and the attempts (areas/publications). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
