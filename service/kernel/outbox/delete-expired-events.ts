import { EVENT_RETENTION_DAYS } from '../../../contract/rules/events.ts';
import type { Db } from '../db/database.ts';
import { createItemTask } from '../tasks/run-in-turns.ts';
import type { ScheduledTask } from '../tasks/scheduled-tasks.ts';
import { deleteEventsBefore, getMomentBefore, listTopicsWithEventsBefore } from './events.store.ts';

const HOUR_MS = 3_600_000;
const EVENT_RETENTION_MS = EVENT_RETENTION_DAYS * 24 * HOUR_MS;
/** Rows deleted by one statement; bounds the time for which it blocks the embedded database. */
const BATCH_SIZE = 10_000;
/** Upper bound of one run in milliseconds; the next run continues. */
const MAX_RUN_MS = 10_000;

/**
 * Scheduled task that deletes the events of all sites after their retention time, one statement of at most `batchSize` rows after the
 * other, the sites in turns. Concurrent runs delete disjoint rows or wait for each other; a run that finds nothing reads one row for
 * each topic.
 */
export const deleteExpiredEventsTask = (
  { db }: { db: Db },
  { batchSize, maxRunMs } = { batchSize: BATCH_SIZE, maxRunMs: MAX_RUN_MS },
): ScheduledTask =>
  createItemTask(db, {
    name: 'delete expired events',
    intervalMs: HOUR_MS,
    maxRunMs,
    async listItems() {
      const before = await getMomentBefore(db, EVENT_RETENTION_MS);
      const topics = await listTopicsWithEventsBefore(db, before);
      return topics.map((topic) => ({ ...topic, before, item: `topic ${topic.topicId}` }));
    },
    runStep: async (topic) => (await deleteEventsBefore(db, topic, topic.before, batchSize)) === batchSize,
  });
