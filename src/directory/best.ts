import { fold } from '../lib/fold.ts';
import { compareTexts, wordsOfName } from './engine/collation.ts';
import type { Filters } from './facets.ts';
import type { PeopleIndex } from './people-index.ts';
import type { DirectoryRow } from './row.ts';

const NO_FILTERS: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };

/** The people who match, those whose name begins so first. */
export function bestMatches(index: PeopleIndex, q: string, limit: number): DirectoryRow[] {
  const { ids } = index.search({ q, filters: NO_FILTERS, sort: { by: 'name', descending: false } });
  const begin = fold(q.trim());
  // In the order of names they stand together, wherever that is.
  const from = firstNot(ids.length, (at) => isBefore(index, ids[at] ?? 0, begin));
  const following = index.rowsOf(ids.subarray(from, from + limit));
  const beginners = following.filter(({ foldedName }) => foldedName.startsWith(begin));
  const known = new Set(beginners.map(({ id }) => id));
  const others = index.rowsOf(ids.subarray(0, 2 * limit)).filter(({ id }) => !known.has(id));
  return [...beginners, ...others].slice(0, limit);
}

function isBefore(index: PeopleIndex, id: number, begin: string): boolean {
  const [row] = index.rowsOf([id]);
  return row !== undefined && compareTexts(wordsOfName(row.name), wordsOfName(begin)) < 0;
}

/** The first place where this is not so; before it, it is so everywhere. */
function firstNot(length: number, isSo: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
