import { type Kysely, sql } from 'kysely';

const statements = [
  // A batch of messages of a custom topic: `sources` has the offset in default-data of each, ascending, and `off` is the offset of the
  // last one. Its payload is null. Copies that were made before are read as they are until they are deleted.
  `alter table topic_event alter column payload drop not null,
    add column sources bigint[],
    add column definition_version int`,
  // Earlier versions of topic_definition that batches name.
  `create table topic_definition_history (
    site_id int not null,
    topic_id int not null,
    version int not null,
    format text not null,
    entry_types jsonb not null,
    primary key (site_id, topic_id, version),
    foreign key (site_id, topic_id) references topic_definition on delete cascade
  )`,
];

/** Custom topics as positions in default-data (docs/decisions/0102). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
