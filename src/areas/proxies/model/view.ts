import { parsePathId } from '../../../lib/ids.ts';
import {
  toSearchValue,
  parseList,
  parseOrder,
  omitUndefined,
  formatList,
  formatOrder,
  readSearchText,
  parseIds,
} from '../../../lib/search-params.ts';
import type { Order, Search } from '../../../lib/search-params.ts';

// Here and not beside the assignments, because every page loads the parsing of search parameters.
/** The end of an assignment that a list is grouped by. */
export type Direction = 'proxy' | 'user';

/** Reasons to review an assignment. The values are part of the URL. */
export const WARNINGS = ['cycle', 'inactive', 'noTwoFactor', 'selfAssigned'] as const;
export type Warning = (typeof WARNINGS)[number];

/** Sortable columns of the list by their ids in the URL; `marks` is the column of warnings. */
export const SORT_KEYS = ['name', 'email', 'count', 'marks'] as const;

/** Options of the filter by number of assignments. */
export const MORE_THAN_OPTIONS = [1, 5, 10, 25] as const;

/** State of the list of assignments, kept in the URL. */
export interface ProxiesView {
  q: string;
  direction: Direction;
  warnings: readonly Warning[];
  /** Shows only people with more than this number of assignments. */
  moreThan: number | undefined;
  sort: Order<(typeof SORT_KEYS)[number]>;
  hidden: readonly string[];
}

/** Search parameters of `/proxies`; defaults are left out. */
export interface ProxiesSearch {
  q?: string | number;
  end?: 'user';
  with?: string | number;
  more?: number;
  sort?: string | number;
  hide?: string | number;
}

/** Parses the search parameters; invalid values fall back to the default. */
export function parseProxiesView(search: Search): ProxiesView {
  const warnings = parseList(search.with, /./);
  return {
    q: readSearchText(search.q),
    direction: search.end === 'user' ? 'user' : 'proxy',
    warnings: WARNINGS.filter((warning) => warnings.includes(warning)),
    moreThan: MORE_THAN_OPTIONS.find((number) => number === search.more),
    sort: parseOrder(search.sort, SORT_KEYS),
    hidden: parseList(search.hide, /^(email|count|others|marks)$/),
  };
}

/** Search parameters of a view; defaults are left out. */
export const serializeProxiesView = ({
  q,
  direction,
  warnings,
  moreThan,
  sort,
  hidden,
}: ProxiesView): ProxiesSearch =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    end: direction === 'user' ? direction : undefined,
    with: formatList(warnings),
    more: moreThan,
    sort: formatOrder(sort, SORT_KEYS),
    hide: formatList(hidden),
  });

/** Whether "Clear filters" would change the view. */
export const isFiltered = ({ q, warnings, moreThan }: ProxiesView): boolean =>
  q !== '' || warnings.length > 0 || moreThan !== undefined;

/** State of the graph, kept in the URL. */
export interface GraphView {
  q: string;
  warnings: readonly Warning[];
  /** Shows only the component of the graph that contains this user. */
  aroundUserId: number | undefined;
}

export interface GraphSearch {
  q?: string | number;
  with?: string | number;
  around?: number;
}

/** Parses the search parameters; invalid values fall back to the default. */
export function parseGraphView(search: Search): GraphView {
  const warnings = parseList(search.with, /./);
  return {
    q: readSearchText(search.q),
    warnings: WARNINGS.filter((warning) => warnings.includes(warning)),
    aroundUserId: parseIds(search.around)[0],
  };
}

/** Search parameters of a view; defaults are left out. */
export const serializeGraphView = ({ q, warnings, aroundUserId }: GraphView): GraphSearch =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    with: formatList(warnings),
    around: aroundUserId,
  });

/** Parses the path parameter `userId` of the panel routes; an invalid id is not found. */
export const userIdParam = {
  parse: ({ userId }: { userId: string }) => ({ userId: parsePathId(userId) }),
  stringify: ({ userId }: { userId: number }) => ({ userId: String(userId) }),
};
