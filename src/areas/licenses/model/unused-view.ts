import { written } from '../../../lib/address.ts';

/** After so many days without activity a license counts as unused; the service remembers 90 (spec 4.2). */
export const UNUSED_DAYS = [30, 60, 90] as const;
type UnusedDays = (typeof UNUSED_DAYS)[number];

const DEFAULT: UnusedDays = 90;

/** The days that the address of the page says. */
export const readDays = (search: { days?: unknown }): UnusedDays =>
  UNUSED_DAYS.find((days) => String(days) === written(search.days)) ?? DEFAULT;

export const writeDays = (days: UnusedDays): { days?: number } => (days === DEFAULT ? {} : { days });
