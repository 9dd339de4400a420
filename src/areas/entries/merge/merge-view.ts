import { parseIds, omitUndefined, formatList } from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';

/** Upper bound of entries merged at once, which are compared side by side. */
export const MAX_MERGE_ENTRIES = 5;

/** State of the merge page in its URL. */
export interface MergeView {
  ids: readonly number[];
  /** Id of the entry that stays; undefined for the first one. */
  targetId: number | undefined;
}

/** Parses the state from search parameters; invalid ones are ignored. */
export function parseMergeView(search: Search): MergeView {
  const ids = parseIds(search.ids).slice(0, MAX_MERGE_ENTRIES);
  return { ids, targetId: ids.find((id) => id === search.stays) };
}

/** Formats the state as search parameters. */
export const formatMergeView = ({ ids, targetId }: MergeView) =>
  omitUndefined({ ids: formatList(ids), stays: targetId });

/** Search parameters of the page; defaults are left out. */
export type MergeSearch = ReturnType<typeof formatMergeView>;
