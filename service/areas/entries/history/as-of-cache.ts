import type { PastState } from '../../../../contract/generated/types.gen.ts';
import { createCache } from '../../../kernel/cache.ts';
import type { DataVersion } from '../../../kernel/db/type-versions.ts';
import { concatIds, filterIds, hasId, type SortedIds } from '../query/id-list.ts';

/** Part of a list as of a date: the list itself, with entries that match only today, or one kind of changed entries. */
export type ListPart = PastState | 'then' | 'withAdded';

/** All ids of a list in its order. */
interface CachedList {
  part: ListPart;
  order: string;
  /** For an order by names of other entries or users: version of all entries of the site at which the list was read. */
  namesVersion: DataVersion | undefined;
  ids: SortedIds;
}

/** Differences between a list as of a date and the current list; shared by all pages. */
export interface Comparison {
  /** Key in the cache. */
  key: string;
  changeSets: ChangeSets;
  /** Number of entries that match today. */
  matches: number;
  /** Version of the type up to which changes are included. */
  version: DataVersion;
  /** Sorted lists from which pages are cut. */
  lists: readonly CachedList[];
}

const MAX_COMPARISONS = 8;
const MAX_LISTS = 3;
const CACHE_TTL_MS = 300_000;
/** Upper bound of all cached ids, of four bytes each. A larger comparison is the only one in the cache. */
const MAX_IDS = 24_000_000;

/**
 * Recent comparisons: a client that scrolls requests page after page of the same list. Later changes are merged into
 * a cached comparison, so it stays usable as long as it is requested.
 */
const cache = createCache<Comparison>({
  maxEntries: MAX_COMPARISONS,
  maxSize: MAX_IDS,
  getSize: (comparison) => Math.min(MAX_IDS, 1 + countIds(comparison)),
  ttlMs: CACHE_TTL_MS,
});

export const getCachedComparison = (key: string): Comparison | undefined => cache.get(key);

export const cacheComparison = (comparison: Comparison): void => cache.set(comparison.key, comparison);

/** Adds a list to a cached comparison; only the newest lists are kept. */
export function cacheList(comparison: Comparison, list: CachedList): void {
  cacheComparison({ ...comparison, lists: [...comparison.lists, list].slice(-MAX_LISTS) });
}

function countIds({ changeSets, lists }: Comparison): number {
  const { all, matchedBefore, added, removed, changed } = changeSets;
  return [all, matchedBefore, added, removed, changed, ...lists.map(({ ids }) => ids)].reduce(
    (sum, ids) => sum + ids.length,
    0,
  );
}

/** Ids of entries that have changed since the date, by their state in the list. */
export interface ChangeSets extends Record<PastState, SortedIds> {
  all: SortedIds;
  /** Entries that matched at the date. */
  matchedBefore: SortedIds;
}

/** Ids of entries that have changed since the date, by the results of the comparison. */
interface ComparedIds {
  all: SortedIds;
  matchedBefore: SortedIds;
  /** Entries that matched at the date and whose compared fields have other values today. */
  differing: SortedIds;
  /** Entries that match today. */
  matchingNow: SortedIds;
}

export const toChangeSets = ({ all, matchedBefore, differing, matchingNow }: ComparedIds): ChangeSets => ({
  all,
  matchedBefore,
  added: filterIds(matchingNow, matchedBefore, false),
  removed: filterIds(matchedBefore, matchingNow, false),
  changed: filterIds(differing, matchingNow, true),
});

/** Replaces the results of the entries in `update`, which were compared again. */
export function mergeChangeSets(changeSets: ChangeSets, update: ChangeSets): ChangeSets {
  const merge = (name: keyof ChangeSets): SortedIds =>
    concatIds([filterIds(changeSets[name], update.all, false), update[name]]).toSorted();
  return {
    all: merge('all'),
    matchedBefore: merge('matchedBefore'),
    added: merge('added'),
    removed: merge('removed'),
    changed: merge('changed'),
  };
}

/** The state of an entry in the list; undefined if it is unchanged. */
export const getState = (changeSets: ChangeSets, id: number): PastState | undefined =>
  (['added', 'removed', 'changed'] as const).find((state) => hasId(changeSets[state], id));
