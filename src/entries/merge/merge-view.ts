import { readIds, spoken, writeList } from '../../lib/address.ts';
import type { Search } from '../../lib/address.ts';
import { MOST_AT_ONCE } from './plan.ts';

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
