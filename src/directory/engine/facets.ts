export const FILTER_KEYS = ['status', 'license', 'group', 'twoFactor', 'addresses', 'changed'] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** Selected values of each filter; an empty list does not filter. */
export type Filters = Record<FilterKey, readonly string[]>;
/** Number of users each value of a filter would show with the search and the other filters unchanged. */
export type FacetCounts = Record<FilterKey, Record<string, number>>;
