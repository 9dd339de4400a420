import { type Kysely, sql } from 'kysely';

const statements = [
  /**
   * Items of scheduled tasks that failed (service/kernel/tasks/run-in-turns.ts). `item` distinguishes the items of a site and is
   * empty when the site itself is the item; `site_id` is null for work of the whole installation. Without `retry_at` the item
   * is parked: it runs again when an administrator retries it or when it changes.
   */
  `create table task_failure (
    site_id int references site,
    task text not null,
    item text not null,
    attempts int not null default 1,
    reason text not null,
    failed_at timestamptz(3) not null default now(),
    retry_at timestamptz(3),
    unique nulls not distinct (site_id, task, item)
  )`,
  /**
   * Calculated values that could not be computed, with the reason; the entry has no data in the field. Entry 0 stands for a field
   * whose formula is no longer run. Without `retry_at` the value is computed again when the entry or the formula changes.
   */
  `create table calculation_failure (
    site_id int not null,
    field_id int not null,
    entry_id int not null,
    reason text not null,
    attempts int not null default 1,
    failed_at timestamptz(3) not null default now(),
    retry_at timestamptz(3),
    primary key (site_id, field_id, entry_id),
    foreign key (site_id, field_id) references field on delete cascade
  )`,
  'create index calculation_failure_entry on calculation_failure (site_id, entry_id)',
  'create index calculation_failure_retry on calculation_failure (retry_at) where retry_at is not null',
  // Each site has its own queue.
  'drop index calc_queue_due',
  'create index calc_queue_due on calc_queue (site_id, queued_at, entry_id)',
];

/** Failed items of background work, and a queue of calculations for each site. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
