import { omitUndefined } from '../../../lib/search-params.ts';
import type { LedgerSearch } from './ledger-search.ts';

const DAY_MS = 86_400_000;

/** Period of the ledger. */
export interface Range {
  days: number;
  label: string;
  /** Length of a bar of the chart. */
  bucketMinutes: 15 | 60 | 1440;
}

const DEFAULT_RANGE: Range = { days: 1, label: '24 hours', bucketMinutes: 15 };
export const RANGES: readonly Range[] = [
  DEFAULT_RANGE,
  { days: 7, label: '7 days', bucketMinutes: 60 },
  { days: 30, label: '30 days', bucketMinutes: 1440 },
  { days: 90, label: '90 days', bucketMinutes: 1440 },
];

/** The period of a view. */
export const getRange = ({ days }: LedgerSearch): Range =>
  RANGES.find((range) => range.days === days) ?? DEFAULT_RANGE;

/** The view without its filters; the period stays. */
export const clearFilters = ({ days }: LedgerSearch): LedgerSearch => omitUndefined({ days });

/** Whether "Clear filters" would change the view. */
export const isFiltered = (view: LedgerSearch): boolean => Object.keys(view).some((name) => name !== 'days');

/** Filters of a view as the service takes them. */
export const toCallFilter = (view: LedgerSearch) =>
  omitUndefined({
    keyId: view.agent,
    userId: view.for,
    entryTypeId: view.type,
    fieldId: view.field,
    outcome: view.refused && ('Refused' as const),
    isFlagged: view.flagged,
  });

/** Start of the period: as many days ago as it has, on the edge of a bar. */
export function getPeriodStart({ days, bucketMinutes }: Range, now: number): Date {
  const bucketMs = bucketMinutes * 60_000;
  return new Date(Math.floor(now / bucketMs) * bucketMs - days * DAY_MS);
}
