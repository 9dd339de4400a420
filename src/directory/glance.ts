import type { Copy } from './copy.ts';
import type { Counts } from './facets.ts';
import type { DirectoryRow } from './row.ts';
import type { DirectoryQuery } from './search.ts';

/**
 * What the last visit looked at, kept as it was answered: the page of the next one begins with it at once, while its
 * worker starts and everybody is being put in order.
 */
export interface Glance {
  /** The last change that it knows: the worker's own answer takes its place where there was one since. */
  changed: number;
  /** The question. */
  words: string;
  size: number;
  billable: number;
  ids: Int32Array;
  counts: Counts;
  /** The first ones. */
  rows: DirectoryRow[];
}

const FIRST = 100;

export const wordsOf = ({ q, filters, sort }: DirectoryQuery): string => JSON.stringify([q, filters, sort]);

/** Answers a question so that it can be kept. */
export function glanceAt({ index, meta }: Copy, query: DirectoryQuery): Glance {
  const { ids, counts } = index.search(query);
  const { size, billable } = index;
  const rows = index.rowsOf(ids.subarray(0, FIRST));
  return { changed: meta.changed, words: wordsOf(query), size, billable, ids, counts, rows };
}
