import { type Kysely, sql } from 'kysely';

const statements = [
  // A view is one of the entries of a type or one of another table of the console.
  `alter table saved_view alter column type_id drop not null, add column table_name text,
    add constraint saved_view_place check ((type_id is null) <> (table_name is null))`,
  `create unique index saved_view_table_name on saved_view (site_id, table_name, owner_id, lower(name))
    where table_name is not null`,
  // The view with which a table opens for a user; a view that is deleted is nobody's default any more.
  `create table saved_view_default (
    site_id int not null,
    user_id int not null references account,
    table_name text not null,
    view_id int not null,
    primary key (site_id, user_id, table_name),
    foreign key (site_id, view_id) references saved_view on delete cascade
  )`,
  'create index saved_view_default_view on saved_view_default (site_id, view_id)',
];

/** Saved views of the tables of users, licenses, activity and changes (areas/views). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
