import { type Kysely, sql } from 'kysely';

const statements = [
  // Every group has the entry id of its record, the UserGroupEntryID of events (spec 2.3). No entry has the same one.
  `update user_group set entry_id = nextval(pg_get_serial_sequence('entry', 'entry_id')) where entry_id is null`,
  `alter table user_group alter column entry_id set default nextval(pg_get_serial_sequence('entry', 'entry_id'))`,
  // Reading has a capability of its own; who could read before keeps it.
  `update user_group set capabilities = array_append(capabilities, 'Read Publications')
    where 'Manage Publications' = any(capabilities) and not 'Read Publications' = any(capabilities)`,
  // What a custom topic streams; its events are derived from those of default-data.
  `create table topic_definition (
    site_id int not null,
    topic_id int not null,
    format text not null check (format in ('Rows', 'Cells')),
    -- [{"entryTypeId": 1, "fieldIds": [2, 3]}]; without "fieldIds" all fields of the type.
    entry_types jsonb not null,
    version int not null default 1,
    -- Offset of the first event of default-data that has not been read for this topic.
    source_next bigint not null,
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now(),
    primary key (site_id, topic_id),
    foreign key (site_id, topic_id) references topic on delete cascade
  )`,
  // Read position of an API key in a topic.
  `create table publication_consumer (
    site_id int not null,
    topic_id int not null,
    client_id int not null references api_key on delete cascade,
    -- Offset of the first event that has not been acknowledged.
    next bigint not null,
    -- The newest poll; an older one that still waits is answered at once.
    poll_id uuid,
    polled_at timestamptz(3),
    acknowledged_at timestamptz(3),
    -- Events that were deleted before they were acknowledged.
    lost_events bigint not null default 0,
    lost_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    primary key (site_id, topic_id, client_id),
    foreign key (site_id, topic_id) references topic on delete cascade
  )`,
  `create index publication_consumer_client on publication_consumer (client_id)`,
];

/** Custom topics and the consumers of publications (areas/publications). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
