import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { Counts } from '../../../directory/facets.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import type { DirectoryQuery, DirectorySort } from '../../../directory/search.ts';
import { plain, readList, readOrder, spoken, writeList, writeOrder, written } from '../../../lib/address.ts';

export const RANGES = [30, 90, 365] as const;
export type Range = (typeof RANGES)[number];

const FILTERS = {
  license: /^[1-4]$/,
  billable: /^(yes|no)$/,
  status: /^(active|inactive|locked)$/,
  group: /^[1-9]\d{0,9}$/,
};
export type LicenseFilter = keyof typeof FILTERS;

/** The page as its address says it: how far back the chart goes, whom the list shows, in which order. */
export interface LicensesView extends Record<LicenseFilter, readonly string[]> {
  range: Range;
  q: string;
  sort: DirectorySort;
  hidden: readonly string[];
}

export type LicensesSearch = { [Key in LicenseFilter | 'range' | 'q' | 'sort' | 'hide']?: string | number };

const DEFAULT_RANGE: Range = 90;

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export function readView(search: Record<string, unknown>): LicensesView {
  return {
    range: RANGES.find((days) => String(days) === written(search.range)) ?? DEFAULT_RANGE,
    q: written(search.q),
    license: readList(search.license, FILTERS.license),
    billable: readList(search.billable, FILTERS.billable),
    status: readList(search.status, FILTERS.status),
    group: readList(search.group, FILTERS.group),
    sort: readOrder(search.sort, SORT_KEYS),
    hidden: readList(search.hide, /^(email|billable|status)$/),
  };
}

/** Writes a view as an address, without what is so by default. */
export function writeView(view: LicensesView): LicensesSearch {
  const { range, q, sort, hidden } = view;
  return spoken({
    range: range === DEFAULT_RANGE ? undefined : range,
    q: q === '' ? undefined : plain(q),
    license: writeList(view.license),
    billable: writeList(view.billable),
    status: writeList(view.status),
    group: writeList(view.group),
    sort: writeOrder(sort, SORT_KEYS),
    hide: writeList(hidden),
  });
}

const NOTHING_ASKED = { q: '', license: [], billable: [], status: [], group: [] };

/** The same page with everybody in its list. */
export const widened = (view: LicensesView): LicensesView => ({ ...view, ...NOTHING_ASKED });

/** Whether something is asked for that "Clear filters" would take away. */
export const isNarrowed = (view: LicensesView): boolean =>
  view.q !== '' || [view.license, view.billable, view.status, view.group].some(({ length }) => length > 0);

const allows = (chosen: readonly string[], value: string): boolean =>
  chosen.length === 0 || chosen.includes(value);

const TYPES = licenseTypes.map(({ licenseTypeId, isBillable }) => ({
  value: String(licenseTypeId),
  billable: isBillable ? 'yes' : 'no',
}));
// A license that nobody has, where type and billing exclude one another: an empty filter would show everybody.
const NOBODY = '0';

/** What the directory is asked: it knows types, and being billable is to have one of some types (spec 2.2). */
export function toQuery({ q, license, billable, status, group, sort }: LicensesView): DirectoryQuery {
  const asked = TYPES.filter((type) => allows(license, type.value) && allows(billable, type.billable));
  const types = asked.length === 0 ? [NOBODY] : asked.map(({ value }) => value);
  return {
    q,
    sort,
    filters: {
      status,
      group,
      license: asked.length === TYPES.length ? [] : types,
      twoFactor: [],
      addresses: [],
      changed: [],
    },
  };
}

/** How many each value of a filter would show, all else being as it is. */
export function countsFor(view: LicensesView, counts: Counts): Record<LicenseFilter, Record<string, number>> {
  const license: Record<string, number> = {};
  const billable: Record<string, number> = { yes: 0, no: 0 };
  for (const type of TYPES) {
    const holders = counts.license[type.value] ?? 0;
    license[type.value] = allows(view.billable, type.billable) ? holders : 0;
    if (allows(view.license, type.value)) billable[type.billable] = (billable[type.billable] ?? 0) + holders;
  }
  return { license, billable, status: counts.status, group: counts.group };
}
