import { type Kysely, sql } from 'kysely';

const statements = [
  // Read with entries, whose place is that of the data of the site and not that of the site (docs/decisions/0092).
  `create table schema_stamp (
    site_id int primary key,
    stamp uuid not null
  ) with (fillfactor = 50)`,
  'insert into schema_stamp (site_id, stamp) select site_id, schema_stamp from site',
  'alter table site drop column schema_stamp',
  `create function site_schema_stamp() returns trigger language plpgsql as $$ begin
    insert into schema_stamp (site_id, stamp) values (new.site_id, gen_random_uuid())
    on conflict (site_id) do update set stamp = excluded.stamp;
    return null; end $$`,
  `create trigger site_schema_stamp after insert on site for each row execute function site_schema_stamp()`,
];

/** The stamp of the schema of a site in a table of its own; every site has one from its first moment. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
