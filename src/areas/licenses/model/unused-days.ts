import { readSearchText } from '../../../lib/search-params.ts';

/** Days without activity after which a license counts as unused; the service keeps 90 days (spec 4.2). */
export const UNUSED_DAYS = [30, 60, 90] as const;
type UnusedDays = (typeof UNUSED_DAYS)[number];

const DEFAULT_DAYS: UnusedDays = 90;

/** Parses the search parameters; invalid values fall back to the default. */
export const parseUnusedDays = (search: { days?: unknown }): UnusedDays =>
  UNUSED_DAYS.find((days) => String(days) === readSearchText(search.days)) ?? DEFAULT_DAYS;

export const serializeUnusedDays = (days: UnusedDays): { days?: number } =>
  days === DEFAULT_DAYS ? {} : { days };

/** Search parameters of the page; defaults are left out. */
export type UnusedDaysSearch = ReturnType<typeof serializeUnusedDays>;
