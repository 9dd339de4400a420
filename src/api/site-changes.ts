import type { TopicPosition } from '../../contract/generated/types.gen.ts';
import { createStore } from '../ui/store.ts';

/** Changes of the site that events of publications report. A list is null when its ids are not known. */
export interface SiteChanges {
  topics: ReadonlySet<string>;
  /** Types of which entries have changed. */
  entryTypeIds: ReadonlySet<number> | null;
  /** Users who have been removed. */
  deletedUserIds: ReadonlySet<number> | null;
}

/**
 * Time in milliseconds since which changes of the site are reported to this page; undefined while they are not, so that lists are read at
 * intervals.
 */
export const followedSince = createStore<number | undefined>(undefined);

const listeners = new Set<(changes: SiteChanges) => void>();

/** Calls a function with changes that others, or this page, have made; seconds after the first of them. */
export function onSiteChanges(listener: (changes: SiteChanges) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function reportSiteChanges(changes: SiteChanges): void {
  for (const listener of listeners) listener(changes);
}

const join = (known: ReadonlySet<number> | null, ids: readonly number[] | null): ReadonlySet<number> | null =>
  known === null || ids === null ? null : new Set([...known, ...ids]);

/** Joins positions that have arrived to changes that have not been reported. */
export const addChanges = (
  pending: SiteChanges | undefined,
  positions: readonly TopicPosition[],
): SiteChanges =>
  positions.reduce<SiteChanges>(
    ({ topics, entryTypeIds, deletedUserIds }, position) => ({
      topics: new Set([...topics, position.name]),
      entryTypeIds:
        position.name === 'default-data' ? join(entryTypeIds, position.entryTypeIds) : entryTypeIds,
      deletedUserIds:
        position.name === 'default-users' ? join(deletedUserIds, position.deletedUserIds) : deletedUserIds,
    }),
    pending ?? { topics: new Set(), entryTypeIds: new Set(), deletedUserIds: new Set() },
  );
