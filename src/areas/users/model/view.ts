import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { findLicenseType } from '../../../../contract/rules/people/licenses.ts';
import { FILTER_KEYS } from '../../../directory/engine/directory-query.ts';
import type { FilterKey, Filters } from '../../../directory/engine/directory-query.ts';
import { SORT_KEYS } from '../../../directory/engine/directory-query.ts';
import type { DirectorySort } from '../../../directory/engine/directory-query.ts';
import { toSearchValue, parseOrder, formatOrder, readSearchText } from '../../../lib/search-params.ts';

/**
 * State of the users list, kept in the URL. Search, filters and sort run in the directory worker (`directory/people-index.ts`); the
 * service is asked only to load the users (`directory/refresh-replica.ts`).
 */
export interface UsersView {
  q: string;
  filters: Filters;
  sort: DirectorySort;
  /** Undefined: the columns stored in the browser apply. */
  hidden: readonly string[] | undefined;
}

/** Search parameters of `/users`; defaults are left out. */
export type UsersSearch = { [Key in FilterKey | 'q' | 'sort' | 'hide']?: string | number };

const SEPARATOR = '-';
// "any" and "none" stand for an empty list where the default is not empty.
const ANY_VALUE = 'any';
const NO_COLUMN = 'none';

const VALUE_PATTERNS: Record<FilterKey, RegExp> = {
  status: /^(active|inactive|locked)$/,
  license: /^[1-4]$/,
  group: /^[1-9]\d{0,9}$/,
  twoFactor: /^(on|off)$/,
  addresses: /^(on|off)$/,
  changed: /^(1|7|30|90)$/,
};

/** Default view: all users by name. */
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

/** Columns that cannot be sorted. */
const OTHER_COLUMNS: readonly string[] = ['timeZone', 'lastActive'];
const isColumn = (value: string): boolean =>
  SORT_KEYS.some((key) => key === value) || OTHER_COLUMNS.includes(value);

function parseValues(
  value: unknown,
  empty: string,
  valid: (one: string) => boolean,
): readonly string[] | undefined {
  const list = readSearchText(value);
  if (list === empty) return [];
  const values = list.split(SEPARATOR).filter(valid);
  return values.length === 0 ? undefined : [...new Set(values)];
}

/** Parses the search parameters; invalid values fall back to the default. */
export function parseUsersView(search: Record<string, unknown>): UsersView {
  const filter = (key: FilterKey) =>
    parseValues(search[key], ANY_VALUE, (one) => VALUE_PATTERNS[key].test(one)) ?? DEFAULT_VIEW.filters[key];
  return {
    q: readSearchText(search.q),
    filters: {
      status: filter('status'),
      license: filter('license'),
      group: filter('group'),
      twoFactor: filter('twoFactor'),
      addresses: filter('addresses'),
      changed: filter('changed'),
    },
    sort: parseOrder(search.sort, SORT_KEYS),
    hidden: parseValues(search.hide, NO_COLUMN, isColumn),
  };
}

const hasSameValues = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));

/** Search parameters of a view; defaults are left out. */
export function serializeUsersView({ q, filters, sort, hidden }: UsersView): UsersSearch {
  const search: UsersSearch = {};
  if (q !== '') search.q = toSearchValue(q);
  for (const key of FILTER_KEYS) {
    if (!hasSameValues(filters[key], DEFAULT_VIEW.filters[key]))
      search[key] = toSearchValue(filters[key].join(SEPARATOR)) || ANY_VALUE;
  }
  const order = formatOrder(sort, SORT_KEYS);
  if (order !== undefined) search.sort = order;
  if (hidden) search.hide = hidden.join(SEPARATOR) || NO_COLUMN;
  return search;
}

/** Whether "Clear filters" would change the view. */
export const isFiltered = ({ q, filters }: UsersView): boolean =>
  q !== '' || FILTER_KEYS.some((key) => !hasSameValues(filters[key], DEFAULT_VIEW.filters[key]));

const FILTER_LABELS: Record<FilterKey, string> = {
  status: 'Status',
  license: 'License',
  group: 'Group',
  twoFactor: 'Two-factor',
  addresses: 'Approved addresses',
  changed: 'Changed',
};
const AGE_LABELS: Record<string, string> = {
  1: 'last 24 hours',
  7: 'last 7 days',
  30: 'last 30 days',
  90: 'last 90 days',
};

/** Describes search and filters: "Search: marsh · License: Standard, Limited". */
export function formatUsersFilter(
  { q, filters }: { q: string; filters: Filters },
  groups: readonly GroupInfoResponse[],
): string {
  const formatValue = (key: FilterKey, value: string): string => {
    if (key === 'license') return findLicenseType(Number(value))?.description ?? value;
    if (key === 'group') return groups.find(({ id }) => String(id) === value)?.name ?? `Group ${value}`;
    return key === 'changed' ? (AGE_LABELS[value] ?? value) : value;
  };
  const parts = FILTER_KEYS.filter(
    (key) => filters[key].length > 0 && !matchesEveryone(key, filters[key]),
  ).map((key) => `${FILTER_LABELS[key]}: ${filters[key].map((value) => formatValue(key, value)).join(', ')}`);
  return [...(q.trim() === '' ? [] : [`Search: ${q.trim()}`]), ...parts].join(' · ') || 'All users';
}

/** Active and inactive together match everyone. */
const matchesEveryone = (key: FilterKey, values: readonly string[]): boolean =>
  key === 'status' && values.includes('active') && values.includes('inactive');
