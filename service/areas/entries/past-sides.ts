import type { Compared } from './past.store.ts';

/** Entries that have changed, by what that did to the answer. */
export interface Sides {
  all: readonly number[];
  was: readonly number[];
  is: readonly number[];
  added: readonly number[];
  removed: readonly number[];
  changed: readonly number[];
}

/** What is the same for every page of a list as it was. */
export interface Comparison {
  sides: Sides;
  /** So many match today. */
  matches: number;
}

const idsOf = (compared: readonly Compared[], holds: (each: Compared) => boolean): number[] =>
  compared.filter(holds).map(({ entryId }) => entryId);

export const sidesOf = (compared: readonly Compared[]): Sides => ({
  all: idsOf(compared, () => true),
  was: idsOf(compared, ({ was }) => was),
  is: idsOf(compared, ({ is }) => is),
  added: idsOf(compared, ({ was, is }) => is && !was),
  removed: idsOf(compared, ({ was, is }) => was && !is),
  changed: idsOf(compared, ({ differs }) => differs),
});

/**
 * Comparisons that were made lately: whoever scrolls through a list as it was asks for page after page of the same one.
 * The key of one holds the last change of the type, so that it ends with the next one (positions.ts).
 */
const known = new Map<string, Comparison & { until: number }>();
const MOST_KNOWN = 8;
const KNOWN_MS = 60_000;

export function comparisonAt(key: string): Comparison | undefined {
  const found = known.get(key);
  return found && found.until > Date.now() ? found : undefined;
}

export function rememberComparison(key: string, comparison: Comparison): void {
  known.delete(key);
  known.set(key, { ...comparison, until: Date.now() + KNOWN_MS });
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}
