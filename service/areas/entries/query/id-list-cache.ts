import { createCache, createSharedLoader } from '../../../kernel/cache.ts';
import type { DataVersion } from '../../../kernel/db/type-versions.ts';

/** The ids of a list in its order, valid as long as its dependency has this version. */
export interface IdList {
  readonly ids: Int32Array;
  readonly version: DataVersion;
  /** For a list sorted by names of users: these users and a checksum of their names, which have no version. */
  readonly users: { readonly ids: Int32Array; readonly nameChecksum: string } | undefined;
}

interface CachedIdList extends IdList {
  /** Time of `performance.now()` before which an outdated list is not computed again. */
  readonly recomputeAfter: number;
}

/** All lists together: sixteen of a million entries. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Size of a list besides its ids, so that the number of empty lists is bounded as well. */
const BASE_BYTES = 1024;
const IDLE_TTL_MS = 600_000;

/** A list that changes quickly occupies the database at most a third of the time: it rests twice as long as it took. */
const REST_FACTOR = 2;

/** A user who scrolls aborts a request and sends the next: the computation goes on in between. */
const ABANDONED_GRACE_MS = 1_000;

const cache = createCache<CachedIdList>({
  maxSize: MAX_BYTES,
  getSize: ({ ids, users }) => BASE_BYTES + ids.byteLength + (users?.ids.byteLength ?? 0),
  ttlMs: IDLE_TTL_MS,
  isTtlRenewedOnRead: true,
});
const loadShared = createSharedLoader<CachedIdList>(ABANDONED_GRACE_MS);

/** The list as it was last computed, which may be outdated. */
export const getCachedIdList = (key: string): CachedIdList | undefined => cache.get(key);

/**
 * Computes a list and caches it. Concurrent calls for the same key share one computation, whose signal aborts when all
 * of their callers did.
 */
export const loadIdList = (
  key: string,
  signal: AbortSignal,
  load: (loadSignal: AbortSignal) => Promise<IdList>,
): Promise<CachedIdList> =>
  loadShared(key, signal, async (loadSignal) => {
    const startedAt = performance.now();
    const list = await load(loadSignal);
    const now = performance.now();
    const cached = { ...list, recomputeAfter: now + REST_FACTOR * (now - startedAt) };
    cache.set(key, cached);
    return cached;
  });
