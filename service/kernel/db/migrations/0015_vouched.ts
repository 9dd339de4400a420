import { type Kysely, sql } from 'kysely';

const statements = [
  // Opened by the identity manager of its site, whose word counts on that site alone.
  'alter table session add column is_federated boolean not null default false',
  // By what a site's provider knows members whose account began on another site; `account.federation_id` is of that one.
  `create table identity_link (
    site_id int not null,
    user_id int not null,
    federation_id text not null,
    created_at timestamptz(3) not null default now(),
    primary key (site_id, user_id),
    unique (site_id, federation_id),
    foreign key (site_id, user_id) references membership on delete cascade
  )`,
];

/** What an identity manager vouches for holds on its own site. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) {
    // oxlint-disable-next-line no-await-in-loop -- in this order
    await sql.raw(statement).execute(db);
  }
}
