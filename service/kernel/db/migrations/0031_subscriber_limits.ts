import { type Kysely, sql } from 'kysely';

const statements = [
  // Topics and fields that an API key may read; a key without a row may read all of them.
  `create table publication_subscriber (
    site_id int not null,
    client_id int not null references api_key on delete cascade,
    -- [{"topicId": 1, "entryTypes": [{"entryTypeId": 2, "fieldIds": [3]}]}]; without "entryTypes" everything of the topic.
    topics jsonb not null,
    modified_at timestamptz(3) not null default now(),
    primary key (site_id, client_id)
  )`,
  `create index publication_subscriber_client on publication_subscriber (client_id)`,
];

/** What API keys may read of topics (areas/publications). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
