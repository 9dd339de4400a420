import { type Kysely, sql } from 'kysely';

const statements = [
  // Ids of the rows that the owner selected for an export, in their order; null if nothing was selected. Not part of the
  // parameters, which lists of jobs return.
  'alter table job add column selected_ids int[]',
  // Each item is updated once. No index has its state, and half of each page is free, so that the new version needs no entry in any
  // index. Items with a reason are few; those in the other states are found by reading the items of the job.
  'alter table job_item set (fillfactor = 50)',
  'drop index job_item_state',
  'create index job_item_reason on job_item (site_id, job_id, item_no) where reason is not null',
];

/** Selections of exports, and cheaper outcomes of items. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
