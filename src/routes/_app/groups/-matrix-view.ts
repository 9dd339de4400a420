import type { Filters } from '../../../directory/facets.ts';
import type { DirectoryQuery } from '../../../directory/search.ts';
import { plain, readIds, readList, spoken, writeList, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';
import { EVERYBODY } from '../../../directory/search.ts';

/** The matrix as its address says it: which people, which groups, and whether the review is open. */
export interface MatrixView {
  q: string;
  status: readonly string[];
  /** Only people who are in one of these. */
  member: readonly number[];
  /** The groups that stand as columns; none: the largest. */
  columns: readonly number[];
  review: boolean;
}

interface MatrixSearch {
  q?: string | number;
  status?: string | number;
  member?: string | number;
  columns?: string | number;
  review?: true;
}

const STATUS = /^(active|inactive|locked)$/;

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export const readMatrixView = (search: Search): MatrixView => ({
  q: written(search.q),
  status: readList(search.status, STATUS),
  member: readIds(search.member),
  columns: readIds(search.columns),
  review: search.review === true,
});

/** Writes a view as an address, without what is so by default. */
export const writeMatrixView = ({ q, status, member, columns, review }: MatrixView): MatrixSearch =>
  spoken({
    q: q === '' ? undefined : plain(q),
    status: writeList(status),
    member: writeList(member),
    columns: writeList(columns),
    review: review || undefined,
  });

/** The people that a view asks for. */
export function peopleQuery({ q, status, member }: MatrixView): DirectoryQuery {
  const filters: Filters = { ...EVERYBODY.filters, status, group: member.map(String) };
  return { ...EVERYBODY, q, filters };
}

interface Sized {
  id: number;
  userCount: number;
}

const UNASKED = 8;

/** The most groups that stand side by side. */
const MOST_COLUMNS = 60;

/** The groups asked for in the order of their names; without a wish, the largest. */
export function columnsOf<Group extends Sized>(
  groups: readonly Group[],
  wanted: readonly number[],
): readonly Group[] {
  if (wanted.length > 0) return groups.filter(({ id }) => wanted.includes(id)).slice(0, MOST_COLUMNS);
  const largest = new Set(
    groups
      .toSorted((a, b) => b.userCount - a.userCount)
      .slice(0, UNASKED)
      .map(({ id }) => id),
  );
  return groups.filter(({ id }) => largest.has(id));
}
