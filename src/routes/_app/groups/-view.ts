import { PARTED, plain, readOrder, textOf, writeOrder } from './-search-text.ts';
import type { Order, Search } from './-search-text.ts';

const SORT_KEYS = ['name', 'description', 'members', 'capabilities'] as const;

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
  q: textOf(search.q),
  sort: readOrder(search.sort, SORT_KEYS),
  hidden: SORT_KEYS.filter((key) => key !== 'name' && textOf(search.hide).split(PARTED).includes(key)),
});

/** Writes a view as an address, without what is so by default. */
export function writeGroupsView({ q, sort, hidden }: GroupsView): GroupsSearch {
  const search: GroupsSearch = {};
  if (q !== '') search.q = plain(q);
  const order = writeOrder(sort);
  if (order !== SORT_KEYS[0]) search.sort = order;
  if (hidden.length > 0) search.hide = hidden.join(PARTED);
  return search;
}
