import type { Filters } from '../../../directory/engine/directory-query.ts';
import type { DirectoryQuery } from '../../../directory/engine/directory-query.ts';
import { ALL_USERS_QUERY } from '../../../directory/engine/directory-query.ts';
import {
  toSearchValue,
  parseIds,
  parseList,
  omitUndefined,
  formatList,
  readSearchText,
} from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';

/** State of the matrix, kept in the URL. */
export interface MatrixView {
  q: string;
  status: readonly string[];
  /** Shows only members of these groups. */
  member: readonly number[];
  /** Groups shown as columns; empty for the largest. */
  columns: readonly number[];
  /** Visible part of the columns, from 1. */
  part: number;
  review: boolean;
}

export interface MatrixSearch {
  q?: string | number;
  status?: string | number;
  member?: string | number;
  columns?: string | number;
  part?: number;
  review?: true;
}

const STATUS = /^(active|inactive|locked)$/;

/** Parses the search parameters; invalid values fall back to the default. */
export const parseMatrixView = (search: Search): MatrixView => ({
  q: readSearchText(search.q),
  status: parseList(search.status, STATUS),
  member: parseIds(search.member),
  columns: parseIds(search.columns),
  part: typeof search.part === 'number' && Number.isInteger(search.part) && search.part > 1 ? search.part : 1,
  review: search.review === true,
});

/** Search parameters of a view; defaults are left out. */
export const serializeMatrixView = ({ q, status, member, columns, part, review }: MatrixView): MatrixSearch =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    status: formatList(status),
    member: formatList(member),
    columns: formatList(columns),
    part: part > 1 ? part : undefined,
    review: review || undefined,
  });

/** Directory query for the rows of a view. */
export function createPeopleQuery({ q, status, member }: MatrixView): DirectoryQuery {
  const filters: Filters = { ...ALL_USERS_QUERY.filters, status, group: member.map(String) };
  return { ...ALL_USERS_QUERY, q, filters };
}

interface GroupSize {
  id: number;
  userCount: number;
}

const DEFAULT_COLUMN_COUNT = 8;

/** Most columns shown at once: every cell of a visible row is in the document. */
const MAX_COLUMNS = 60;

/** The chosen groups in the given order; without a choice the largest. */
export function selectColumns<Group extends GroupSize>(
  groups: readonly Group[],
  isMember: readonly number[],
): readonly Group[] {
  if (isMember.length > 0) {
    const ids = new Set(isMember);
    return groups.filter(({ id }) => ids.has(id));
  }
  const largest = new Set(
    groups
      .toSorted((a, b) => b.userCount - a.userCount)
      .slice(0, DEFAULT_COLUMN_COUNT)
      .map(({ id }) => id),
  );
  return groups.filter(({ id }) => largest.has(id));
}

/** Visible part of the columns, from 1. */
export interface ColumnPart {
  part: number;
  parts: number;
  first: number;
  last: number;
  of: number;
}

/** Columns of the requested part, or of the last one. */
export function getColumnPart<Group>(
  columns: readonly Group[],
  isMember: number,
): ColumnPart & { shown: readonly Group[] } {
  const of = columns.length;
  const parts = Math.max(1, Math.ceil(of / MAX_COLUMNS));
  const part = Math.min(isMember, parts);
  const before = (part - 1) * MAX_COLUMNS;
  const last = Math.min(of, before + MAX_COLUMNS);
  return { shown: columns.slice(before, last), part, parts, first: before + 1, last, of };
}
