import type { PastState } from '../../../../contract/generated/types.gen.ts';
import type { Ids } from '../query/id-list.ts';
import type { Mark } from '../cache/marks.store.ts';
import type { Sides } from './past-sides.ts';

/** What of a list is asked for: as it was, with what came since among the rest, or one kind of what has changed. */
export type PastPart = PastState | 'then' | 'withAdded';

/** A whole list in its order. */
interface PastList {
  part: PastPart;
  order: string;
  /** It stands by names of other entries or of people, which change by themselves. */
  isByNames: boolean;
  ids: Ids;
}

/** What is the same for every page of a list as it was. */
export interface Comparison {
  sides: Sides;
  /** So many match today. */
  matches: number;
  /** What it was seen at, and all that was changed until then (marks.store.ts). */
  mark: Mark;
  /** Whole lists, where pages are cut from them. */
  lists: PastList[];
}

/**
 * Comparisons that were made lately: whoever scrolls through a list as it was asks for page after page of the same one.
 * What changes meanwhile is compared anew and put among the rest, so that one may stand as long as somebody looks.
 */
const known = new Map<string, { comparison: Comparison; until: number }>();
const MOST_KNOWN = 8;
const MOST_LISTS = 3;
const KNOWN_MS = 300_000;
/** So many ids in all, of four bytes each; the newest comparison is kept whatever it takes. */
const MOST_IDS = 24_000_000;

export function comparisonAt(question: string): Comparison | undefined {
  const found = known.get(question);
  return found && found.until > Date.now() ? found.comparison : undefined;
}

export function rememberComparison(question: string, comparison: Comparison): void {
  known.delete(question);
  known.set(question, { comparison, until: Date.now() + KNOWN_MS });
  forgetOldest();
  // Also where nobody asks any more: the ids are up to a hundred megabytes.
  setTimeout(forgetOldest, KNOWN_MS + 1000).unref();
}

export function rememberList({ lists }: Comparison, list: PastList): void {
  lists.push(list);
  if (lists.length > MOST_LISTS) lists.shift();
  forgetOldest();
}

const sizeOf = ({ sides, lists }: Comparison): number => {
  const { all, was, added, removed, changed } = sides;
  return [all, was, added, removed, changed, ...lists.map(({ ids }) => ids)].reduce(
    (sum, ids) => sum + ids.length,
    0,
  );
};

function forgetOldest(): void {
  let held = [...known.values()].reduce((sum, { comparison }) => sum + sizeOf(comparison), 0);
  for (const [question, { comparison, until }] of known) {
    const isTooMuch = known.size > MOST_KNOWN || (held > MOST_IDS && known.size > 1);
    if (!isTooMuch && until > Date.now()) continue;
    held -= sizeOf(comparison);
    known.delete(question);
  }
}
