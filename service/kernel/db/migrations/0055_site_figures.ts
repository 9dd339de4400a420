import { type Kysely, sql } from 'kysely';

const statements = [
  // Figures of a site at the end of a day (UTC), or of the present day when it was measured last (service/areas/sites/figures.ts).
  `create table site_figure (
    site_id int not null references site,
    day date not null,
    entries int not null,
    changes int not null,
    -- Null where nobody measured it: bytes have no history.
    storage_bytes bigint,
    measured_at timestamptz(3) not null default now(),
    primary key (site_id, day)
  ) with (fillfactor = 70)`,
];

/** Entries, changes and storage of sites by day (docs/decisions/0090). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
