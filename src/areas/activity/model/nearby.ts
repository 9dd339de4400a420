import type { UserActivityQuery } from '../../../../contract/generated/types.gen.ts';
import { DAY_MS, getReportStart } from './period.ts';
import type { Period } from './period.ts';
import { toIsoDate } from './report-query.ts';
import type { ActivityRow } from './row.ts';

/** Time before and after a row in which other rows count as nearby. */
export const NEARBY_MS = 15 * 60_000;

/** Query of the day that ends `after` milliseconds after a time; the service reports at least a day (shapes 2). */
export function buildNearbyQuery(
  who: UserActivityQuery,
  time: number,
  { now, after = NEARBY_MS }: { now: number; after?: number },
): UserActivityQuery {
  const reach = getReportStart(now);
  const to = Math.max(time + after + 1, reach + DAY_MS);
  const from = to - DAY_MS;
  return { ...who, ...(from > reach && { dateFrom: toIsoDate(from) }), dateTo: toIsoDate(to) };
}

/** Rows near another row. */
export interface NearbyRows {
  /** The nearest rows, newest first. */
  rows: readonly ActivityRow[];
  /** Number of nearby rows; undefined if there are more than a response holds. */
  total: number | undefined;
}

/** Rows shown before and after the given one. */
const MAX_ROWS_PER_SIDE = 50;

/** Selects the rows nearest to a time from a response that holds at most `maxRows`. */
export function selectNearbyRows(loaded: readonly ActivityRow[], time: number, maxRows: number): NearbyRows {
  const rows = loaded.filter(({ eventDate }) => Math.abs(Date.parse(eventDate) - time) <= NEARBY_MS);
  const middle = rows.findIndex(({ eventDate }) => Date.parse(eventDate) <= time);
  const first = Math.max(0, (middle === -1 ? rows.length : middle) - MAX_ROWS_PER_SIDE);
  return {
    rows: rows.slice(first, first + 2 * MAX_ROWS_PER_SIDE + 1),
    total: rows.length < maxRows ? rows.length : undefined,
  };
}

/** Period of the report that shows the nearby rows. */
export const getNearbyPeriod = (time: number): Period => ({
  from: time - NEARBY_MS,
  to: time + NEARBY_MS + 1,
});
