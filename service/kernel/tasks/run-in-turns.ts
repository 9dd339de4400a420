import { type Db, withSite } from '../db/database.ts';
import { getDbError, isDatabaseUnavailable, isPassingFailure } from '../db/driver/errors.ts';
import { toStorableText } from '../texts.ts';
import { getRetryDelayMs, MAX_ATTEMPTS } from './backoff.ts';
import { type ItemFailure, NEVER_ABORTED, type ScheduledTask } from './scheduled-tasks.ts';
import * as store from './task-failures.store.ts';
import type { StoredFailure, TaskItem } from './task-failures.store.ts';

/** A scheduled task that works on items, most often sites, independently of each other. */
export interface ItemTask<Item extends TaskItem> {
  name: string;
  intervalMs: number;
  /** Milliseconds after which a run ends and the next one continues; by default a run ends when no work is left. */
  maxRunMs?: number;
  /** All items with work to do, failed ones included. `signal` fires when the service stops. */
  listItems(signal: AbortSignal): Promise<readonly Item[]>;
  /**
   * Does a bounded part of the work of an item. `db` is the database for work of its site.
   * @returns whether the item has more work
   * @throws Error when the item failed; the other items are processed nevertheless
   */
  runStep(item: Item, signal: AbortSignal, db: Db): Promise<boolean>;
}

const MAX_REASON_LENGTH = 500;

/**
 * A scheduled task whose items do not disturb each other. Sites take turns step by step: next is the site that has used the least
 * time, also over several runs. An item that fails is retried with backoff and parked after 5 failures (task_failure), but not by a
 * failure that passes by itself, such as a deadlock. A failure of the database as a whole counts against no item and fails the run.
 */
export function createItemTask<Item extends TaskItem>(
  db: Db,
  task: ItemTask<Item>,
  getTimeMs = () => performance.now(),
): ScheduledTask {
  const shares = createShares();
  return {
    name: task.name,
    intervalMs: task.intervalMs,
    async run(signal = NEVER_ABORTED) {
      const endsAtMs = getTimeMs() + (task.maxRunMs ?? Infinity);
      const items = await task.listItems(signal);
      const storedFailures = await loadFailures(db, task.name, items);
      const dueItems = items.filter((item) => isDue(storedFailures.get(getKey(item))));
      const retriesInMs = [...storedFailures.values()].flatMap((failure) =>
        isDue(failure) ? [] : (failure.retryInMs ?? []),
      );
      const queues = Map.groupBy(dueItems, ({ siteId }) => siteId);
      shares.keepOnly(queues.keys());
      const failures: ItemFailure[] = [];
      let isUnfinished = false;
      while (queues.size > 0 && !signal.aborted && !isUnfinished) {
        const siteId = shares.next(queues.keys());
        const queue = queues.get(siteId) ?? [];
        const item = queue.shift();
        const startedAtMs = getTimeMs();
        try {
          if (item) {
            const result = await runItem(db, task, item, storedFailures.get(getKey(item)), signal);
            if (result === 'more') queue.push(item);
            else if (result !== 'done') {
              failures.push(result);
              retriesInMs.push(result.retryInMs ?? Infinity);
            }
            storedFailures.delete(getKey(item));
          }
        } finally {
          // Also when the run fails: the next one begins with another site.
          shares.add(siteId, getTimeMs() - startedAtMs);
        }
        if (queue.length === 0) queues.delete(siteId);
        isUnfinished = queues.size > 0 && getTimeMs() > endsAtMs;
      }
      return { runAgainInMs: isUnfinished ? 0 : Math.min(...retriesInMs, Infinity), failures };
    },
  };
}

/** Runs a step of an item and records its outcome. @throws Error when the database is not available */
async function runItem<Item extends TaskItem>(
  db: Db,
  task: ItemTask<Item>,
  item: Item,
  stored: StoredFailure | undefined,
  signal: AbortSignal,
): Promise<'more' | 'done' | ItemFailure> {
  try {
    const hasMore = await task.runStep(item, signal, withSite(db, item.siteId ?? undefined));
    if (stored) await store.deleteFailure(db, task.name, item);
    return hasMore ? 'more' : 'done';
  } catch (error) {
    if (signal.aborted || isDatabaseUnavailable(error)) throw error;
    const attempts = (stored?.attempts ?? 0) + 1;
    const retryInMs = attempts >= MAX_ATTEMPTS && !isPassingFailure(error) ? null : getRetryDelayMs(attempts);
    await store.saveFailure(db, task.name, item, { attempts, reason: describeError(error), retryInMs });
    return { siteId: item.siteId, item: item.item, error, attempts, retryInMs };
  }
}

const getKey = ({ siteId, item }: TaskItem): string => `${siteId ?? ''} ${item}`;

const isDue = (failure: StoredFailure | undefined): boolean =>
  !failure || (failure.retryInMs !== null && failure.retryInMs <= 0);

/** Failures of the items by key; failures of items without work are deleted. */
async function loadFailures(
  db: Db,
  task: string,
  items: readonly TaskItem[],
): Promise<Map<string, StoredFailure>> {
  const failures = new Map((await store.listFailures(db, task)).map((each) => [getKey(each), each]));
  if (failures.size === 0) return failures;
  const keys = new Set(items.map(getKey));
  for (const [key, failure] of failures) {
    if (keys.has(key)) continue;
    await store.deleteFailure(db, task, failure);
    failures.delete(key);
  }
  return failures;
}

/** Reason of a failure for administrators of the site, with the SQLSTATE code of a database error; a text that the database can store. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = getDbError(error)?.code;
  const text = code === undefined ? message : `The database refused the change (${code}): ${message}`;
  return toStorableText(text, MAX_REASON_LENGTH);
}

type SiteKey = TaskItem['siteId'];

/** Time that each site has used while it had work to do. */
function createShares() {
  const usedMs = new Map<SiteKey, number>();
  return {
    /** Forgets sites without work. A site that has new work starts level with the one that has used the least time. */
    keepOnly(sites: Iterable<SiteKey>): void {
      const current = new Set(sites);
      for (const site of usedMs.keys()) if (!current.has(site)) usedMs.delete(site);
      const start = Math.min(...usedMs.values(), Infinity);
      for (const site of current) if (!usedMs.has(site)) usedMs.set(site, start === Infinity ? 0 : start);
    },
    add(site: SiteKey, ms: number): void {
      usedMs.set(site, (usedMs.get(site) ?? 0) + ms);
    },
    /** The site with the smallest share. */
    next(sites: Iterable<SiteKey>): SiteKey {
      let next: { site: SiteKey; ms: number } | undefined;
      for (const site of sites) {
        const ms = usedMs.get(site) ?? 0;
        if (!next || ms < next.ms) next = { site, ms };
      }
      return next?.site ?? null;
    },
  };
}
