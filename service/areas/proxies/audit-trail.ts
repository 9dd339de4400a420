import { retryLater } from '../../kernel/api-error.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { AuditTrailEntry, AuditTrail } from '../../kernel/http/audit-trail.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import {
  insertPendingEntry,
  updateEntryStatuses,
  insertEntries,
  type CompletedEntry,
} from './reports.store.ts';

/** Entries of reads are written together, at most this long after the first one. */
const FLUSH_DELAY_MS = 500;
/** Maximum number of entries waiting for an unavailable database; beyond it acting is refused. */
const MAX_QUEUED_ENTRIES = 5_000;
/** Maximum number of entries per statement. */
const MAX_BATCH_SIZE = 1_000;

/**
 * Writes the audit trail of acting: entries of writes before they are performed, all others in batches shortly
 * afterwards.
 */
export function createAuditTrail(db: Db, log: Pick<Log, 'error'>): AuditTrail & { stop(): Promise<void> } {
  let queue: CompletedEntry[] = [];
  let statuses = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let flushInProgress: Promise<void> | undefined;

  const scheduleFlush = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_DELAY_MS).unref();
  };

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushInProgress ??= writeAll().finally(() => {
      flushInProgress = undefined;
      if (queue.length + statuses.size > 0) scheduleFlush();
    });
    return flushInProgress;
  }

  /** Writes one batch; on failure it stays queued for the next one. */
  async function writeAll(): Promise<void> {
    const [batch, batchStatuses] = [queue.slice(0, MAX_BATCH_SIZE), statuses];
    try {
      if (batch.length > 0) await insertEntries(db, batch);
      queue = queue.slice(batch.length);
      statuses = new Map();
      if (batchStatuses.size > 0) await updateEntryStatuses(db, batchStatuses);
    } catch (error) {
      statuses = new Map([...batchStatuses, ...statuses]);
      log.error({ err: error }, 'Audit trail entries could not be saved and will be retried');
    }
  }

  return {
    requireCapacity() {
      if (queue.length + statuses.size >= MAX_QUEUED_ENTRIES)
        throw retryLater(503, 'Acting is not available: its audit trail cannot be saved at the moment', 5);
    },
    startEntry: (entry) => insertPendingEntry(db, entry),
    finishEntry(entryId, status) {
      statuses.set(entryId, status);
      scheduleFlush();
    },
    addEntry(entry: AuditTrailEntry, status) {
      queue.push({ ...entry, status });
      scheduleFlush();
    },
    async stop() {
      clearTimeout(timer);
      for (let rounds = 0; queue.length + statuses.size > 0 && rounds < 10; rounds += 1) {
        await flush();
      }
    },
  };
}
