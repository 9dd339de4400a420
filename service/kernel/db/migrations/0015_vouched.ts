import { type Kysely, sql } from 'kysely';

const statements = [
  // Whether the identity manager of the site opened the session; it has no authority over other sites.
  'alter table session add column is_federated boolean not null default false',
  // Identifier at the site's provider for members with another home site; `account.federation_id` is that of the home site.
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

/** Limits the effect of identity managers to their own site. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) {
    // In this order.
    await sql.raw(statement).execute(db);
  }
}
