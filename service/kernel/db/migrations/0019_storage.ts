import { type Kysely, sql } from 'kysely';

const tables = [
  // Null for the default of the host.
  'alter table site add column storage_quota bigint check (storage_quota >= 0)',
  /**
   * Bytes of the files of a site, so that an upload need not add them up. Only uploads and deletions of files update a row;
   * it is not part of `site`, whose rows other transactions lock.
   */
  `create table site_storage (
    site_id int primary key references site,
    used_bytes bigint not null
  ) with (fillfactor = 50)`,
  'insert into site_storage (site_id, used_bytes) select site_id, sum(size) from stored_file group by site_id',
];

/** Adds the sizes of rows with `site_id` and `size` to the use of their sites, in the same order for all transactions. */
const count = (rows: string) => `insert into site_storage
    select site_id, sum(size)::bigint from (${rows}) as counted group by site_id having sum(size) <> 0 order by site_id
    on conflict (site_id) do update set used_bytes = site_storage.used_bytes + excluded.used_bytes;`;

const TRANSITIONS = {
  insert: { referencing: 'new table as added', rows: 'select site_id, size from added' },
  delete: { referencing: 'old table as removed', rows: 'select site_id, -size as size from removed' },
  update: {
    referencing: 'old table as removed new table as added',
    rows: 'select site_id, size from added union all select site_id, -size from removed',
  },
} as const;

const triggers = (['insert', 'delete', 'update'] as const).flatMap((event) => [
  `create function count_storage_${event}() returns trigger language plpgsql as $$
    begin ${count(TRANSITIONS[event].rows)} return null; end $$`,
  `create trigger stored_file_storage_${event} after ${event} on stored_file
    referencing ${TRANSITIONS[event].referencing} for each statement execute function count_storage_${event}()`,
]);

/** Storage quotas of sites and the storage that they use (docs/decisions/0038). */
export async function up(db: Kysely<never>): Promise<void> {
  // Tables first: the triggers use them.
  for (const statement of [...tables, ...triggers]) await sql.raw(statement).execute(db);
}
