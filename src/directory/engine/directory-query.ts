export const FILTER_KEYS = ['status', 'license', 'group', 'twoFactor', 'addresses', 'changed'] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** Selected values of each filter; an empty list does not filter. */
export type Filters = Record<FilterKey, readonly string[]>;
/** Number of users each value of a filter would show with the search and the other filters unchanged. */
export type FacetCounts = Record<FilterKey, Record<string, number>>;

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

/** Query of all users, sorted by name. */
export const ALL_USERS_QUERY: DirectoryQuery = {
  q: '',
  filters: { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] },
  sort: { by: 'name', descending: false },
};
