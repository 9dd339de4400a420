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

/** The whole site by name. */
export const EVERYBODY: DirectoryQuery = {
  q: '',
  filters: { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] },
  sort: { by: 'name', descending: false },
};
