import { setImmediate as yieldToRequests, setTimeout as sleep } from 'node:timers/promises';
import { type Db, withTransaction } from '../../kernel/db/database.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { deleteOldCalls, insertCalls, type LedgerRow } from './ledger.store.ts';

/** Time between two writes: calls that end meanwhile are stored together, in one transaction. */
const FLUSH_INTERVAL_MS = 80;
/** Pause after a write that failed. */
const RETRY_INTERVAL_MS = 1_000;
/** Calls of one write. */
const MAX_BATCH_ROWS = 500;
/** Calls that wait to be stored. While there are more, no agent gets an answer. */
const MAX_WAITING_ROWS = 5_000;
/** Calls that wait to be examined. Each holds what its agent was sent, at most 40 KB. */
const MAX_ENDED_CALLS = 200;
/** Time for which calls are examined without a pause. */
const MAX_EXAMINING_MS = 10;
const DAY_MS = 86_400_000;

/** Calls of this process that the counters of the database do not include yet. */
export interface PendingUse {
  calls: number;
  rows: number;
}

/** A call that has ended. */
export interface EndedCall extends Pick<LedgerRow, 'siteId' | 'keyId' | 'rows'> {
  /** Examines what the agent has read. */
  toRow: () => LedgerRow;
}

/** Calls that count beside the counters that the database returns while the check is open. */
export interface LimitCheck {
  /** Calls that are not stored, and those that were stored since the check began: the counters may have been read before. */
  getPending(): { key: PendingUse; siteCalls: number };
  close(): void;
}

export interface Ledger {
  /** Whether calls may be answered: not while the ledger cannot be written. */
  readonly isWritable: boolean;
  /** Notes that a call begins, so that concurrent calls of this process count for each other. */
  begin(siteId: number, keyId: number): void;
  /** Stores a call that has begun. */
  record(call: EndedCall): void;
  /** Ends a call that has begun and is not stored. */
  abandon(siteId: number, keyId: number): void;
  /** Begins to check the limits of a key, before their counters are read. */
  openCheck(siteId: number, keyId: number): LimitCheck;
  /** Resolves when everything recorded before is stored. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The ledger of this process. Calls are examined and stored behind their answers, 12 times a second at most, all that have ended
 * together: an agent does not wait for it, and a process that is killed loses the calls of less than a tenth of a second.
 */
export function createLedger(db: Db, log: Pick<Log, 'error'>): Ledger {
  let ended: EndedCall[] = [];
  let waiting: LedgerRow[] = [];
  let writing: Promise<void> | undefined;
  let isStopping = false;
  let hasFailed = false;
  const keyUses = new Map<string, PendingUse>();
  const siteCalls = new Map<number, number>();
  const openChecks = new Set<{ siteId: number; keyId: number; stored: PendingUse & { siteCalls: number } }>();
  const stopping = new AbortController();

  const add = (siteId: number, keyId: number, calls: number, rows: number): void => {
    const key = `${siteId}/${keyId}`;
    const use = keyUses.get(key) ?? { calls: 0, rows: 0 };
    const sum = { calls: use.calls + calls, rows: use.rows + rows };
    if (sum.calls > 0) keyUses.set(key, sum);
    else keyUses.delete(key);
    const siteSum = (siteCalls.get(siteId) ?? 0) + calls;
    if (siteSum > 0) siteCalls.set(siteId, siteSum);
    else siteCalls.delete(siteId);
  };

  function noteStored({ siteId, keyId, rows }: LedgerRow): void {
    for (const check of openChecks) {
      if (check.siteId !== siteId) continue;
      check.stored.siteCalls += 1;
      if (check.keyId !== keyId) continue;
      check.stored.calls += 1;
      check.stored.rows += rows;
    }
  }

  function examine({ siteId, keyId, rows, toRow }: EndedCall): void {
    try {
      waiting.push(toRow());
    } catch (error) {
      log.error({ err: error }, 'A call of an agent could not be added to the ledger');
      add(siteId, keyId, -1, -rows);
    }
  }

  async function examineAll(): Promise<void> {
    const calls = ended;
    ended = [];
    let startedAt = performance.now();
    for (const call of calls) {
      if (performance.now() - startedAt > MAX_EXAMINING_MS) {
        await yieldToRequests();
        startedAt = performance.now();
      }
      examine(call);
    }
  }

  async function write(): Promise<void> {
    while (ended.length + waiting.length > 0) {
      await examineAll();
      const batch = waiting.slice(0, MAX_BATCH_ROWS);
      try {
        await withTransaction(db, {}, (tx) => insertCalls(tx, batch));
        waiting = waiting.slice(batch.length);
        for (const row of batch) {
          noteStored(row);
          add(row.siteId, row.keyId, -1, -row.rows);
        }
        hasFailed = false;
      } catch (error) {
        log.error({ err: error }, 'Calls of agents could not be stored');
        hasFailed = true;
        if (isStopping) return;
      }
      if (isStopping) continue;
      await sleep(hasFailed ? RETRY_INTERVAL_MS : FLUSH_INTERVAL_MS, undefined, {
        ref: false,
        signal: stopping.signal,
      }).catch(() => {});
    }
  }

  const start = (): Promise<void> =>
    (writing ??= write().finally(() => {
      writing = undefined;
    }));

  return {
    get isWritable() {
      return ended.length + waiting.length < MAX_WAITING_ROWS;
    },
    begin: (siteId, keyId) => add(siteId, keyId, 1, 0),
    record(call) {
      add(call.siteId, call.keyId, 0, call.rows);
      if (ended.length < MAX_ENDED_CALLS) ended.push(call);
      else examine(call);
      void start();
    },
    abandon: (siteId, keyId) => add(siteId, keyId, -1, 0),
    openCheck(siteId, keyId) {
      const check = { siteId, keyId, stored: { calls: 0, rows: 0, siteCalls: 0 } };
      openChecks.add(check);
      return {
        getPending() {
          const { calls, rows } = keyUses.get(`${siteId}/${keyId}`) ?? { calls: 0, rows: 0 };
          const { stored } = check;
          return {
            key: { calls: calls + stored.calls, rows: rows + stored.rows },
            siteCalls: (siteCalls.get(siteId) ?? 0) + stored.siteCalls,
          };
        },
        close: () => void openChecks.delete(check),
      };
    },
    flush: async () => {
      await (ended.length + waiting.length > 0 ? start() : writing);
    },
    async stop() {
      isStopping = true;
      stopping.abort();
      await start();
    },
  };
}

/** Scheduled task that deletes calls after 90 days. */
export const createLedgerRetentionTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'agent call retention',
  intervalMs: DAY_MS / 4,
  run: async () => ((await deleteOldCalls(db)) ? { runAgainInMs: 0 } : undefined),
});
