import type { UserActivityQuery } from '../../../api/generated/types.gen.ts';
import { DAY, reachOf } from './-range.ts';
import type { Range } from './-presets.ts';
import type { ActivityRow } from './-row.ts';

/** So long before a row and after it lies what happened around it. */
export const AROUND = 15 * 60_000;

/** What is asked for to see what happened around a moment: the day that ends with it (shapes 2). */
export function aroundQuery(who: UserActivityQuery, at: number, now: number): UserActivityQuery {
  const reach = reachOf(now);
  const to = Math.max(at + AROUND + 1, reach + DAY);
  const from = to - DAY;
  return {
    ...who,
    ...(from > reach && { dateFrom: new Date(from).toISOString() }),
    dateTo: new Date(to).toISOString(),
  };
}

/** The rows of such an answer that lie around the moment. */
export const around = (rows: readonly ActivityRow[], at: number): ActivityRow[] =>
  rows.filter(({ eventDate }) => Math.abs(Date.parse(eventDate) - at) <= AROUND);

/** The same as a period of the report. */
export const rangeAround = (at: number): Range => ({ from: at - AROUND, to: at + AROUND + 1 });
