import type { Filters } from './facets.ts';

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
