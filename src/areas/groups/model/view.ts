import { plain, readList, readOrder, spoken, writeList, writeOrder, written } from '../../../lib/address.ts';
import type { Order, Search } from '../../../lib/address.ts';

export const SORT_KEYS = ['name', 'description', 'members', 'capabilities'] as const;

/** The list of groups as its address says it. */
export interface GroupsView {
  q: string;
  sort: Order<(typeof SORT_KEYS)[number]>;
  hidden: readonly string[];
}

interface GroupsSearch {
  q?: string | number;
  sort?: string | number;
  hide?: string | number;
}

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export const readGroupsView = (search: Search): GroupsView => ({
  q: written(search.q),
  sort: readOrder(search.sort, SORT_KEYS),
  hidden: readList(search.hide, /^(description|members|capabilities)$/),
});

/** Writes a view as an address, without what is so by default. */
export const writeGroupsView = ({ q, sort, hidden }: GroupsView): GroupsSearch =>
  spoken({
    q: q === '' ? undefined : plain(q),
    sort: writeOrder(sort, SORT_KEYS),
    hide: writeList(hidden),
  });
