export const FILTER_KEYS = ['status', 'license', 'group', 'twoFactor', 'addresses', 'changed'] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** The chosen values of each filter; none chosen filters nothing. */
export type Filters = Record<FilterKey, readonly string[]>;
/** For each filter: how many people its values would show, all other filters and the search being as they are. */
export type Counts = Record<FilterKey, Record<string, number>>;
