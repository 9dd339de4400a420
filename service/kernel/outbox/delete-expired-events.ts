import type { Db } from '../db/database.ts';
import type { ScheduledTask } from '../jobs/scheduled-tasks.ts';
import { deleteEventsBefore, listTopicsWithEventsBefore } from './events.store.ts';

const HOUR_MS = 3_600_000;
/** Events are kept for 9 days (spec shapes 7). */
const EVENT_RETENTION_MS = 9 * 24 * HOUR_MS;
/** Rows deleted by one statement; bounds the time for which it blocks the embedded database. */
const BATCH_SIZE = 10_000;
/** Statements of one run for each topic; the next run continues. */
const MAX_BATCHES_PER_TOPIC = 100;

interface DeletionLimits {
  batchSize: number;
  maxBatches: number;
}

/**
 * Deletes the events of all sites that are older than 9 days, one statement of at most `batchSize` rows after the other.
 * Concurrent runs delete disjoint rows or wait for each other; a run that finds nothing reads one row for each topic.
 * @param signal ends the run after the current statement
 */
export async function deleteExpiredEvents(
  db: Db,
  signal?: AbortSignal,
  { batchSize, maxBatches }: DeletionLimits = { batchSize: BATCH_SIZE, maxBatches: MAX_BATCHES_PER_TOPIC },
): Promise<void> {
  const before = new Date(Date.now() - EVENT_RETENTION_MS);
  for (const topic of await listTopicsWithEventsBefore(db, before)) {
    for (let batch = 0; batch < maxBatches; batch += 1) {
      if (signal?.aborted) return;
      const deleted = await deleteEventsBefore(db, topic, before, batchSize);
      if (deleted < batchSize) break;
    }
  }
}

/** Scheduled task that deletes events after their retention time. */
export const deleteExpiredEventsTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'delete expired events',
  intervalMs: HOUR_MS,
  run: (signal) => deleteExpiredEvents(db, signal),
});
