import { type Kysely, sql } from 'kysely';

/**
 * One row per entry type, raised last before commit by each transaction that changes its entries or schema: its version
 * identifies what a statement sees of the type (service/kernel/db/type-versions.ts). A type without a row has version 0.
 * Rows outlive their types, so that a version never names two states.
 */
const table = `create table entry_type_version (
    site_id int not null references site,
    type_id int not null,
    version bigint not null,
    -- Version at which entries were last created, deleted, merged or restored, or the schema changed.
    entries_version bigint not null,
    -- Field id → version at which a value of the field last changed.
    field_versions jsonb not null,
    -- When the transactions of the newest versions began, the newest first.
    recent_starts timestamptz(3)[] not null,
    primary key (site_id, type_id)
  ) with (fillfactor = 50)`;

/** Versions of entry types, by which caches decide whether they are current. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(table).execute(db);
}
