import { FILTER_KEYS } from '../../../directory/facets.ts';
import type { FilterKey, Filters } from '../../../directory/facets.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import type { DirectorySort, SortKey } from '../../../directory/search.ts';
import { plain, readOrder, writeOrder, written } from '../../../lib/address.ts';

/** The list as its address says it: what is asked for, in which order, with which columns. */
export interface UsersView {
  q: string;
  filters: Filters;
  sort: DirectorySort;
  /** Undefined where the address leaves that to the person. */
  hidden: readonly string[] | undefined;
}

/** The search of `/users`: short texts, each left out where it says what is so anyway. */
export type UsersSearch = { [Key in FilterKey | 'q' | 'sort' | 'hide']?: string | number };

const PARTED = '-';
// "any" and "none" stand for an empty list where the default is not empty.
const ANY = 'any';
const NONE = 'none';

const VALUES: Record<FilterKey, RegExp> = {
  status: /^(active|inactive|locked)$/,
  license: /^[1-4]$/,
  group: /^[1-9]\d{0,9}$/,
  twoFactor: /^(on|off)$/,
  addresses: /^(on|off)$/,
  changed: /^(1|7|30|90)$/,
};

/** What is shown to somebody who asked for nothing: everybody, by name. */
export const DEFAULT_VIEW: UsersView = {
  q: '',
  filters: {
    status: ['active', 'inactive'],
    license: [],
    group: [],
    twoFactor: [],
    addresses: [],
    changed: [],
  },
  sort: { by: 'name', descending: false },
  hidden: undefined,
};

/** Whether a column of the table is one that can be sorted by. */
const isSortKey = (value: string): value is SortKey => SORT_KEYS.some((key) => key === value);

function listOf(
  value: unknown,
  empty: string,
  valid: (one: string) => boolean,
): readonly string[] | undefined {
  const list = written(value);
  if (list === empty) return [];
  const values = list.split(PARTED).filter(valid);
  return values.length === 0 ? undefined : [...new Set(values)];
}

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export function readView(search: Record<string, unknown>): UsersView {
  const filter = (key: FilterKey) =>
    listOf(search[key], ANY, (one) => VALUES[key].test(one)) ?? DEFAULT_VIEW.filters[key];
  return {
    q: written(search.q),
    filters: {
      status: filter('status'),
      license: filter('license'),
      group: filter('group'),
      twoFactor: filter('twoFactor'),
      addresses: filter('addresses'),
      changed: filter('changed'),
    },
    sort: readOrder(search.sort, SORT_KEYS),
    hidden: listOf(search.hide, NONE, (one) => isSortKey(one)),
  };
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));

/** Writes a view as an address, without what is so by default. */
export function writeView({ q, filters, sort, hidden }: UsersView): UsersSearch {
  const search: UsersSearch = {};
  if (q !== '') search.q = plain(q);
  for (const key of FILTER_KEYS) {
    if (!same(filters[key], DEFAULT_VIEW.filters[key])) search[key] = plain(filters[key].join(PARTED)) || ANY;
  }
  const order = writeOrder(sort, SORT_KEYS);
  if (order !== undefined) search.sort = order;
  if (hidden) search.hide = hidden.join(PARTED) || NONE;
  return search;
}

/** Whether something is asked for that "Clear filters" would take away. */
export const isNarrowed = ({ q, filters }: UsersView): boolean =>
  q !== '' || FILTER_KEYS.some((key) => !same(filters[key], DEFAULT_VIEW.filters[key]));
