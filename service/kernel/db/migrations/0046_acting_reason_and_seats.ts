import { type Kysely, sql } from 'kysely';
import type { IndexDefinition } from '../concurrent-indexes.ts';

const statements = [
  // Whether a proxy must give a reason to act for a user in the console.
  'alter table site add column requires_acting_reason boolean not null default true',
  // Seats that are agreed with a site, by license type; no row: not limited. Set by whoever runs the platform.
  `create table seat_total (
    site_id int not null references site,
    license_type_id smallint not null check (license_type_id between 1 and 3),
    total int not null check (total >= 0),
    primary key (site_id, license_type_id)
  )`,
];

/** Temporary members of a site by their end, for the forecast of its seats. */
export const indexes: readonly IndexDefinition[] = [
  {
    name: 'membership_site_end',
    definition: 'on membership (site_id, expires_at) include (license_type_id) where expires_at is not null',
  },
];

/** The setting of the reason of acting (areas/proxies) and the agreed seats (areas/licenses). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
