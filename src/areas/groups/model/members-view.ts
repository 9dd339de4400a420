import type { DirectoryQuery, DirectorySort } from '../../../directory/engine/directory-query.ts';
import { ALL_USERS_QUERY } from '../../../directory/engine/directory-query.ts';
import {
  toSearchValue,
  parseOrder,
  omitUndefined,
  formatOrder,
  readSearchText,
} from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';

export const SORT_KEYS = ['name', 'email', 'status', 'license', 'modified'] as const;

/** State of the members list, kept in the URL. */
export interface MembersView {
  q: string;
  sort: DirectorySort;
}

export interface MembersSearch {
  q?: string | number;
  sort?: string | number;
}

/** Parses the search parameters; invalid values fall back to the default. */
export const parseMembersView = (search: Search): MembersView => ({
  q: readSearchText(search.q),
  sort: parseOrder(search.sort, SORT_KEYS),
});

/** Search parameters of a view; defaults are left out. */
export const serializeMembersView = ({ q, sort }: MembersView): MembersSearch =>
  omitUndefined({ q: q === '' ? undefined : toSearchValue(q), sort: formatOrder(sort, SORT_KEYS) });

/** Directory query for all members of a group, active or not. */
export const createMembersQuery = (groupId: number, view?: MembersView): DirectoryQuery => ({
  ...ALL_USERS_QUERY,
  ...view,
  filters: { ...ALL_USERS_QUERY.filters, group: [String(groupId)] },
});
