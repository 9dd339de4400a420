import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';

/** Identifies an item of a scheduled task. */
export interface TaskItem {
  /** Null for work of the whole installation. */
  siteId: number | null;
  /** Distinguishes the items of a site; empty when the site itself is the item. */
  item: string;
}

/** A failed item as scheduled tasks read it. */
export interface StoredFailure extends TaskItem {
  attempts: number;
  /** Milliseconds until the next attempt, 0 or less when it is due; null when the item is parked. */
  retryInMs: number | null;
}

/** Failed items of a task. */
export async function listFailures(db: Db, task: string): Promise<StoredFailure[]> {
  const { rows } = await sql<StoredFailure>`
    select site_id as "siteId", item, attempts,
      (extract(epoch from retry_at - now()) * 1000)::float8 as "retryInMs"
    from task_failure where task = ${task}`.execute(db);
  return rows;
}

/** Records the failure of an item; `retryInMs` null parks it. */
export async function saveFailure(
  db: Db,
  task: string,
  { siteId, item }: TaskItem,
  failure: { attempts: number; reason: string; retryInMs: number | null },
): Promise<void> {
  const seconds = failure.retryInMs === null ? null : failure.retryInMs / 1_000;
  await sql`insert into task_failure (site_id, task, item, attempts, reason, retry_at)
    values (${siteId}::int, ${task}, ${item}, ${failure.attempts}, ${failure.reason},
      now() + make_interval(secs => ${seconds}::float8))
    on conflict (site_id, task, item) do update set attempts = excluded.attempts, reason = excluded.reason,
      failed_at = excluded.failed_at, retry_at = excluded.retry_at`.execute(db);
}

/** Forgets the failure of an item, because it succeeded, changed, or does not exist any more. */
export async function deleteFailure(db: Db | Tx, task: string, { siteId, item }: TaskItem): Promise<void> {
  await sql`delete from task_failure
    where task = ${task} and item = ${item} and site_id is not distinct from ${siteId}::int`.execute(db);
}

/** A failed item as administrators of a site see it. */
export interface ShownFailure {
  task: string;
  item: string;
  attempts: number;
  reason: string;
  failedAt: Date;
  /** Null when the item is parked. */
  retryAt: Date | null;
}

/** Failed items of a site, the latest first. */
export async function listSiteFailures(db: Db, siteId: number): Promise<ShownFailure[]> {
  const { rows } = await sql<ShownFailure>`
    select task, item, attempts, reason, failed_at as "failedAt", retry_at as "retryAt"
    from task_failure where site_id = ${siteId} order by failed_at desc, task, item limit 1000`.execute(db);
  return rows;
}

/** Makes the failed items of a site due with all their attempts. @returns the tasks to which they belong */
export async function retrySiteFailures(tx: Tx, siteId: number): Promise<string[]> {
  const { rows } = await sql<{ task: string }>`
    with retried as (
      update task_failure set attempts = 0, retry_at = now() where site_id = ${siteId} returning task)
    select distinct task from retried order by task`.execute(tx);
  return rows.map(({ task }) => task);
}
