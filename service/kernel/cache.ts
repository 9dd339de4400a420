/** Bounded in-memory caches. Cached data is always a copy: each process has its own caches, and any entry may vanish. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { abortedError } from './db/driver/errors.ts';
import { cacheReads } from './telemetry/metrics.ts';

const cacheHits = cacheReads.labels('hit');
const cacheMisses = cacheReads.labels('miss');

/** A fixed-length key of the values that identify a cached result; values that serialize to the same JSON share a key. */
export const createCacheKey = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

interface CacheOptions<V> {
  maxEntries?: number;
  /** Limit of the sum of `getSize`. A larger value is not cached and evicts nothing. */
  maxSize?: number;
  getSize?: (value: V) => number;
  /** Undefined: values do not expire. */
  ttlMs?: number;
  /** Whether each read restarts the time to live. */
  isTtlRenewedOnRead?: boolean;
}

/**
 * Creates a cache that evicts the least recently used values beyond its limits. Expired values are also released when
 * nobody reads the cache any more, after at most a tenth of the time to live.
 */
export function createCache<V extends object>(options: CacheOptions<V>) {
  const { maxEntries, maxSize, getSize, ttlMs, isTtlRenewedOnRead = false } = options;
  const cache = new LRUCache<string, V>({
    ...(maxEntries !== undefined && { max: maxEntries }),
    ...(maxSize !== undefined && { maxSize }),
    ...(getSize && { sizeCalculation: getSize }),
    ttl: ttlMs ?? 0,
    // Its timers do not notice reads that renew the time to live.
    ttlAutopurge: false,
    updateAgeOnGet: isTtlRenewedOnRead,
    // The clock of each read, so that tests can replace it; the default caches it for a millisecond.
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });
  let purge: NodeJS.Timeout | undefined;
  const schedulePurge = (): void => {
    if (ttlMs === undefined) return;
    purge ??= setTimeout(() => {
      purge = undefined;
      cache.purgeStale();
      if (cache.size > 0) schedulePurge();
    }, ttlMs / 10).unref();
  };
  return {
    get(key: string): V | undefined {
      const value = cache.get(key);
      (value ? cacheHits : cacheMisses).inc();
      return value;
    },
    set(key: string, value: V): void {
      // Setting the same object again must measure its size again.
      cache.delete(key);
      cache.set(key, value);
      schedulePurge();
    },
    delete(key: string): void {
      cache.delete(key);
    },
  };
}

interface SharedLoad<V> {
  readonly value: Promise<V>;
  readonly controller: AbortController;
  waitingCount: number;
}

/**
 * Creates a function that runs one load per key at a time: callers that ask for the same key meanwhile wait for the same
 * load. A caller whose signal aborts stops waiting; when all of them did and no new one comes within `graceMs`, the
 * load's own signal aborts. Failed loads are not kept.
 * @throws DbError `aborted` when the caller's signal aborts
 */
export function createSharedLoader<V>(graceMs: number) {
  const loads = new Map<string, SharedLoad<V>>();

  function start(key: string, load: (signal: AbortSignal) => Promise<V>): SharedLoad<V> {
    const controller = new AbortController();
    const started: SharedLoad<V> = { value: load(controller.signal), controller, waitingCount: 0 };
    loads.set(key, started);
    const remove = () => removeIfCurrent(key, started);
    started.value.then(remove, remove);
    return started;
  }

  function removeIfCurrent(key: string, load: SharedLoad<V>): void {
    if (loads.get(key) === load) loads.delete(key);
  }

  function abortIfAbandoned(key: string, load: SharedLoad<V>): void {
    if (load.waitingCount > 0) return;
    // First removed: callers that come from now on start a load of their own.
    removeIfCurrent(key, load);
    load.controller.abort();
  }

  return async (
    key: string,
    signal: AbortSignal,
    load: (loadSignal: AbortSignal) => Promise<V>,
  ): Promise<V> => {
    if (signal.aborted) throw abortedError();
    const shared = loads.get(key) ?? start(key, load);
    shared.waitingCount += 1;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const leave = () => {
      shared.waitingCount -= 1;
      if (shared.waitingCount === 0) setTimeout(abortIfAbandoned, graceMs, key, shared).unref();
      reject(abortedError());
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([shared.value, aborted]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };
}
