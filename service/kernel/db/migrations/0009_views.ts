import { type Kysely, sql } from 'kysely';

const statements = [
  `create table saved_view (
    site_id int not null,
    view_id int generated always as identity,
    type_id int not null,
    owner_id int not null references account,
    name text not null,
    is_shared boolean not null,
    search text not null,
    query text not null,
    sort text not null,
    -- As it was sent: jsonb would reorder its names, and the same view would seem changed.
    columns json not null,
    version int not null default 1,
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now(),
    primary key (site_id, view_id),
    foreign key (site_id, type_id) references entry_type on delete cascade
  )`,
  // The views of one owner have different names; shared views are listed with their owner.
  'create unique index saved_view_name on saved_view (site_id, type_id, owner_id, lower(name))',
];

/** Saved views of entries. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
