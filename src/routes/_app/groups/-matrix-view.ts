import type { Filters } from '../../../directory/facets.ts';
import type { DirectoryQuery } from '../../../directory/search.ts';
import { EVERYBODY } from './-everybody.ts';
import { idsAsText, idsOf, PARTED, plain, textOf } from './-search-text.ts';
import type { Search } from './-search-text.ts';

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

const STATUSES = ['active', 'inactive', 'locked'];

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export const readMatrixView = (search: Search): MatrixView => ({
  q: textOf(search.q),
  status: STATUSES.filter((status) => textOf(search.status).split(PARTED).includes(status)),
  member: idsOf(search.member),
  columns: idsOf(search.columns),
  review: search.review === true,
});

/** Writes a view as an address, without what is so by default. */
export function writeMatrixView({ q, status, member, columns, review }: MatrixView): MatrixSearch {
  return {
    ...(q !== '' && { q: plain(q) }),
    ...(status.length > 0 && { status: status.join(PARTED) }),
    ...(member.length > 0 && { member: idsAsText(member) }),
    ...(columns.length > 0 && { columns: idsAsText(columns) }),
    ...(review && { review }),
  };
}

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
