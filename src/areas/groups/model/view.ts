import {
  toSearchValue,
  parseList,
  parseOrder,
  omitUndefined,
  formatList,
  formatOrder,
  readSearchText,
} from '../../../lib/search-params.ts';
import type { Order, Search } from '../../../lib/search-params.ts';

export const SORT_KEYS = ['name', 'description', 'members', 'capabilities'] as const;

/** State of the groups list, kept in the URL. */
export interface GroupsView {
  q: string;
  sort: Order<(typeof SORT_KEYS)[number]>;
  hidden: readonly string[];
}

export interface GroupsSearch {
  q?: string | number;
  sort?: string | number;
  hide?: string | number;
}

/** Parses the search parameters; invalid values fall back to the default. */
export const parseGroupsView = (search: Search): GroupsView => ({
  q: readSearchText(search.q),
  sort: parseOrder(search.sort, SORT_KEYS),
  hidden: parseList(search.hide, /^(description|members|capabilities)$/),
});

/** Search parameters of a view; defaults are left out. */
export const serializeGroupsView = ({ q, sort, hidden }: GroupsView): GroupsSearch =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    sort: formatOrder(sort, SORT_KEYS),
    hide: formatList(hidden),
  });
