import type { DirectoryRow } from './row.ts';

export const FILTER_KEYS = ['status', 'license', 'group', 'twoFactor', 'addresses', 'changed'] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** The chosen values of each filter; none chosen filters nothing. */
export type Filters = Record<FilterKey, readonly string[]>;
export type Counts = Record<FilterKey, Record<string, number>>;

const DAY = 86_400_000;
const AGES = [1, 7, 30, 90];

// Shared arrays: a facet is read once for each row and keystroke.
const ON = ['on'];
const OFF = ['off'];
const ACTIVE = ['active'];
const INACTIVE = ['inactive'];
const ACTIVE_LOCKED = ['active', 'locked'];
const INACTIVE_LOCKED = ['inactive', 'locked'];
const NO_LICENSE_YET: string[] = [];
const LICENSES = [1, 2, 3, 4].map((id) => [String(id)]);
const CHANGED = AGES.map((_, at) => AGES.slice(at).map(String));
const LONG_AGO: string[] = [];

// A locked person is active or inactive as well: nobody is hidden by asking for both.
function statusOf({ isActive, isLocked }: DirectoryRow): readonly string[] {
  if (isLocked) return isActive ? ACTIVE_LOCKED : INACTIVE_LOCKED;
  return isActive ? ACTIVE : INACTIVE;
}

/** The values that a row has under each filter; a change of yesterday is one of the last 7 days too. */
export const FACETS: Record<FilterKey, (row: DirectoryRow, now: number) => readonly string[]> = {
  status: statusOf,
  license: ({ licenseTypeId }) => LICENSES[(licenseTypeId ?? 0) - 1] ?? NO_LICENSE_YET,
  group: ({ groupValues }) => groupValues,
  twoFactor: ({ twoFactor }) => (twoFactor ? ON : OFF),
  addresses: ({ approvedAddresses }) => (approvedAddresses ? ON : OFF),
  changed: ({ modifiedAt }, now) =>
    CHANGED[AGES.findIndex((days) => modifiedAt >= now - days * DAY)] ?? LONG_AGO,
};
