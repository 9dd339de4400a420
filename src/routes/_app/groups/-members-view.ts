import type { DirectoryQuery, DirectorySort } from '../../../directory/search.ts';
import { EVERYBODY } from './-everybody.ts';
import { plain, readOrder, textOf, writeOrder } from './-search-text.ts';
import type { Search } from './-search-text.ts';

const SORT_KEYS = ['name', 'email', 'status', 'license', 'modified'] as const;

/** The members of a group as the address asks for them. */
export interface MembersView {
  q: string;
  sort: DirectorySort;
}

interface MembersSearch {
  q?: string | number;
  sort?: string | number;
}

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export const readMembersView = (search: Search): MembersView => ({
  q: textOf(search.q),
  sort: readOrder(search.sort, SORT_KEYS),
});

/** Writes a view as an address, without what is so by default. */
export function writeMembersView({ q, sort }: MembersView): MembersSearch {
  const search: MembersSearch = {};
  if (q !== '') search.q = plain(q);
  const order = writeOrder(sort);
  if (order !== SORT_KEYS[0]) search.sort = order;
  return search;
}

/** Everybody in a group, whatever their state. */
export const membersOf = (groupId: number, view?: MembersView): DirectoryQuery => ({
  ...EVERYBODY,
  ...view,
  filters: { ...EVERYBODY.filters, group: [String(groupId)] },
});
