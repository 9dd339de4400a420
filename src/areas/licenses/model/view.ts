import { licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import type { FacetCounts } from '../../../directory/engine/directory-query.ts';
import { SORT_KEYS } from '../../../directory/engine/directory-query.ts';
import type { DirectoryQuery, DirectorySort } from '../../../directory/engine/directory-query.ts';
import {
  toSearchValue,
  parseList,
  parseOrder,
  omitUndefined,
  formatList,
  formatOrder,
  readSearchText,
} from '../../../lib/search-params.ts';

export const RANGES = [30, 90, 365] as const;
export type Range = (typeof RANGES)[number];

const FILTERS = {
  license: /^[1-4]$/,
  billable: /^(yes|no)$/,
  status: /^(active|inactive|locked)$/,
  group: /^[1-9]\d{0,9}$/,
};
export type LicenseFilter = keyof typeof FILTERS;

/** State of the page, kept in the URL: chart range, search, filters, sort, hidden columns. */
export interface LicensesView extends Record<LicenseFilter, readonly string[]> {
  range: Range;
  q: string;
  sort: DirectorySort;
  hidden: readonly string[];
}

export type LicensesSearch = { [Key in LicenseFilter | 'range' | 'q' | 'sort' | 'hide']?: string | number };

const DEFAULT_RANGE: Range = 90;

/** Parses the search parameters; invalid values fall back to the default. */
export function parseLicensesView(search: Record<string, unknown>): LicensesView {
  return {
    range: RANGES.find((days) => String(days) === readSearchText(search.range)) ?? DEFAULT_RANGE,
    q: readSearchText(search.q),
    license: parseList(search.license, FILTERS.license),
    billable: parseList(search.billable, FILTERS.billable),
    status: parseList(search.status, FILTERS.status),
    group: parseList(search.group, FILTERS.group),
    sort: parseOrder(search.sort, SORT_KEYS),
    hidden: parseList(search.hide, /^(email|billable|status)$/),
  };
}

/** Search parameters of a view; defaults are left out. */
export function serializeLicensesView(view: LicensesView): LicensesSearch {
  const { range, q, sort, hidden } = view;
  return omitUndefined({
    range: range === DEFAULT_RANGE ? undefined : range,
    q: q === '' ? undefined : toSearchValue(q),
    license: formatList(view.license),
    billable: formatList(view.billable),
    status: formatList(view.status),
    group: formatList(view.group),
    sort: formatOrder(sort, SORT_KEYS),
    hide: formatList(hidden),
  });
}

const NO_FILTERS = { q: '', license: [], billable: [], status: [], group: [] };

/** View without search and filters. */
export const clearFilters = (view: LicensesView): LicensesView => ({ ...view, ...NO_FILTERS });

/** Whether "Clear filters" would change the view. */
export const isFiltered = (view: LicensesView): boolean =>
  view.q !== '' || [view.license, view.billable, view.status, view.group].some(({ length }) => length > 0);

const isAllowed = (change: readonly string[], value: string): boolean =>
  change.length === 0 || change.includes(value);

const TYPES = licenseTypes.map(({ licenseTypeId, isBillable }) => ({
  value: String(licenseTypeId),
  billable: isBillable ? 'yes' : 'no',
}));
// Contradictory filters: an empty type filter would match everyone.
const NO_LICENSE_TYPE = '0';

/** Query for the directory, which filters by type; being billable means having one of certain types (spec 2.2). */
export function toDirectoryQuery({
  q,
  license,
  billable,
  status,
  group,
  sort,
}: LicensesView): DirectoryQuery {
  const matchingTypes = TYPES.filter(
    (type) => isAllowed(license, type.value) && isAllowed(billable, type.billable),
  );
  const types = matchingTypes.length === 0 ? [NO_LICENSE_TYPE] : matchingTypes.map(({ value }) => value);
  return {
    q,
    sort,
    filters: {
      status,
      group,
      license: matchingTypes.length === TYPES.length ? [] : types,
      twoFactor: [],
      addresses: [],
      changed: [],
    },
  };
}

/** Number of users each filter value would show with the other filters applied. */
export function getFilterCounts(
  view: LicensesView,
  counts: FacetCounts,
): Record<LicenseFilter, Record<string, number>> {
  const license: Record<string, number> = {};
  const billable: Record<string, number> = { yes: 0, no: 0 };
  for (const type of TYPES) {
    const holders = counts.license[type.value] ?? 0;
    license[type.value] = isAllowed(view.billable, type.billable) ? holders : 0;
    if (isAllowed(view.license, type.value))
      billable[type.billable] = (billable[type.billable] ?? 0) + holders;
  }
  return { license, billable, status: counts.status, group: counts.group };
}
