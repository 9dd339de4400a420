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
  /** Which of the columns are in view, counted from 1, where there are more than stand side by side. */
  part: number;
  review: boolean;
}

interface MatrixSearch {
  q?: string | number;
  status?: string | number;
  member?: string | number;
  columns?: string | number;
  part?: number;
  review?: true;
}

const STATUS = /^(active|inactive|locked)$/;

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export const readMatrixView = (search: Search): MatrixView => ({
  q: written(search.q),
  status: readList(search.status, STATUS),
  member: readIds(search.member),
  columns: readIds(search.columns),
  part: typeof search.part === 'number' && Number.isInteger(search.part) && search.part > 1 ? search.part : 1,
  review: search.review === true,
});

/** Writes a view as an address, without what is so by default. */
export const writeMatrixView = ({ q, status, member, columns, part, review }: MatrixView): MatrixSearch =>
  spoken({
    q: q === '' ? undefined : plain(q),
    status: writeList(status),
    member: writeList(member),
    columns: writeList(columns),
    part: part > 1 ? part : undefined,
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

/** The most groups that stand side by side: each cell of a row in view is in the document. */
const MOST_COLUMNS = 60;

/** The groups asked for in the order of their names; without a wish, the largest. */
export function columnsOf<Group extends Sized>(
  groups: readonly Group[],
  wanted: readonly number[],
): readonly Group[] {
  if (wanted.length > 0) {
    const ids = new Set(wanted);
    return groups.filter(({ id }) => ids.has(id));
  }
  const largest = new Set(
    groups
      .toSorted((a, b) => b.userCount - a.userCount)
      .slice(0, UNASKED)
      .map(({ id }) => id),
  );
  return groups.filter(({ id }) => largest.has(id));
}

/** Which of the columns are in view, counted from 1. */
export interface ColumnPart {
  part: number;
  parts: number;
  first: number;
  last: number;
  of: number;
}

/** Those of the columns that stand side by side: the part asked for, or the last there is. */
export function partOf<Group>(
  columns: readonly Group[],
  wanted: number,
): ColumnPart & { shown: readonly Group[] } {
  const of = columns.length;
  const parts = Math.max(1, Math.ceil(of / MOST_COLUMNS));
  const part = Math.min(wanted, parts);
  const before = (part - 1) * MOST_COLUMNS;
  const last = Math.min(of, before + MOST_COLUMNS);
  return { shown: columns.slice(before, last), part, parts, first: before + 1, last, of };
}
