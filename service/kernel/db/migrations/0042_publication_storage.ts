import { type Kysely, sql } from 'kysely';

const statements = [
  // Events are read far more often than written, and a text is sent as it is stored. Names of entries, which only custom topics need,
  // are beside the message. The foreign key cost as much as the rest of an insert: every event is appended by a statement that has
  // locked the row of its topic.
  'alter table topic_event drop constraint topic_event_site_id_topic_id_fkey, add column entry_names json',
  `alter table topic_event
    alter column entry_names type json using (payload -> 'entryNames')::text::json,
    alter column payload type json using (payload - 'entryNames')::text::json`,
  // Versions of the schema that events can name, and the definition of each entry type from a version on; null: deleted.
  `create table schema_version (
    site_id int not null references site,
    version int not null,
    created_at timestamptz(3) not null default now(),
    primary key (site_id, version)
  )`,
  `create table entry_type_definition (
    site_id int not null references site,
    type_id int not null,
    version int not null,
    fields jsonb,
    primary key (site_id, type_id, version)
  )`,
  'insert into schema_version (site_id, version) select site_id, schema_version from site',
  `insert into entry_type_definition (site_id, type_id, version, fields)
    select t.site_id, t.type_id, s.schema_version, (
      select coalesce(jsonb_agg(jsonb_build_object('id', f.field_id, 'apiName', f.api_name, 'fieldType', f.kind,
        'isMoney', f.is_money, 'isMultiSelect', f.is_multi) order by f.field_id), '[]')
      from field f where f.site_id = t.site_id and f.type_id = t.type_id and f.deleted_at is null)
    from entry_type t join site s on s.site_id = t.site_id`,
];

/** Messages as text, and the schema of messages of earlier versions (docs/decisions/0066). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
