import { FACETS, FILTER_KEYS } from './facets.ts';
import type { Counts, FilterKey, Filters } from './facets.ts';
import { compileQuery } from './query.ts';
import type { DirectoryRow } from './row.ts';

export const SORT_KEYS = [
  'name',
  'email',
  'status',
  'license',
  'groups',
  'access',
  'modified',
  'id',
  'created',
] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface DirectorySort {
  by: SortKey;
  descending: boolean;
}

export interface DirectoryQuery {
  q: string;
  filters: Filters;
  sort: DirectorySort;
}

export interface Found {
  rows: readonly DirectoryRow[];
  /** For each filter: how many rows its values would show, all other filters and the search being as they are. */
  counts: Counts;
}

const KEYS: Record<SortKey, (row: DirectoryRow) => string | number> = {
  name: (row) => row.foldedName,
  email: (row) => row.foldedEmail,
  status: (row) => (row.isActive ? 0 : 2) + (row.isLocked ? 1 : 0),
  license: (row) => row.licenseTypeId ?? 9,
  groups: (row) => row.groups.length,
  access: (row) => (row.twoFactor ? 2 : 0) + (row.approvedAddresses ? 1 : 0),
  modified: (row) => row.modifiedAt,
  id: (row) => row.id,
  created: (row) => row.created,
};

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

// The order outlives the keystrokes: only new rows or another column sort again.
const orders = new WeakMap<readonly DirectoryRow[], { key: string; rows: readonly DirectoryRow[] }>();

function inOrder(rows: readonly DirectoryRow[], { by, descending }: DirectorySort): readonly DirectoryRow[] {
  const key = `${by} ${descending}`;
  const known = orders.get(rows);
  if (known?.key === key) return known.rows;
  const keyOf = KEYS[by];
  const turn = descending ? -1 : 1;
  const sorted = rows.toSorted(
    (a, b) => turn * compare(keyOf(a), keyOf(b)) || compare(a.foldedName, b.foldedName) || a.id - b.id,
  );
  orders.set(rows, { key, rows: sorted });
  return sorted;
}

/** Searches, filters, sorts and counts the directory. Pure, and quick enough for each keystroke. */
export function searchDirectory(
  rows: readonly DirectoryRow[],
  { q, filters, sort }: DirectoryQuery,
  now = Date.now(),
): Found {
  const matches = compileQuery(q);
  const on = FILTER_KEYS.filter((key) => filters[key].length > 0).map((key) => ({
    key,
    values: new Set(filters[key]),
  }));
  const found: DirectoryRow[] = [];
  const counts: Counts = { status: {}, license: {}, group: {}, twoFactor: {}, addresses: {}, changed: {} };
  for (const row of inOrder(rows, sort)) {
    if (matches && !matches(row)) continue;
    let missed: FilterKey | undefined;
    let misses = 0;
    for (const { key, values } of on) {
      if (FACETS[key](row, now).some((value) => values.has(value))) continue;
      missed = key;
      misses += 1;
    }
    if (misses === 0) found.push(row);
    if (misses > 1) continue;
    for (const key of FILTER_KEYS) {
      if (missed !== undefined && missed !== key) continue;
      const tally = counts[key];
      for (const value of FACETS[key](row, now)) tally[value] = (tally[value] ?? 0) + 1;
    }
  }
  return { rows: found, counts };
}
