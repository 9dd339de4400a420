import { readIds, spoken, writeList } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';

/** Entries side by side: more do not fit, and more at once nobody compares. */
export const MOST_AT_ONCE = 5;

/** Which entries are to become one, and which of them stays. */
export interface MergeView {
  ids: readonly number[];
  /** Undefined: the first one. */
  stays: number | undefined;
}

export function readMergeView({ ids: said, stays }: Search): MergeView {
  const ids = readIds(said).slice(0, MOST_AT_ONCE);
  return { ids, stays: ids.find((id) => id === stays) };
}

export const writeMergeView = ({ ids, stays }: MergeView) => spoken({ ids: writeList(ids), stays });
