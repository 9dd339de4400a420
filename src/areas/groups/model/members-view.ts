import type { DirectoryQuery, DirectorySort } from '../../../directory/search.ts';
import { plain, readOrder, spoken, writeOrder, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';
import { EVERYBODY } from '../../../directory/search.ts';

export const SORT_KEYS = ['name', 'email', 'status', 'license', 'modified'] as const;

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
  q: written(search.q),
  sort: readOrder(search.sort, SORT_KEYS),
});

/** Writes a view as an address, without what is so by default. */
export const writeMembersView = ({ q, sort }: MembersView): MembersSearch =>
  spoken({ q: q === '' ? undefined : plain(q), sort: writeOrder(sort, SORT_KEYS) });

/** Everybody in a group, whatever their state. */
export const membersOf = (groupId: number, view?: MembersView): DirectoryQuery => ({
  ...EVERYBODY,
  ...view,
  filters: { ...EVERYBODY.filters, group: [String(groupId)] },
});
