import type { UserActivityQuery } from '../../../api/generated/types.gen.ts';
import { iso } from './question.ts';
import { DAY, reachOf } from './range.ts';
import type { Range } from './presets.ts';
import type { ActivityRow } from './row.ts';

/** So long before a row and after it lies what happened around it. */
export const AROUND = 15 * 60_000;

/** What is asked for to see what came until so long after a moment: the day that ends then (shapes 2). */
export function aroundQuery(
  who: UserActivityQuery,
  at: number,
  { now, after = AROUND }: { now: number; after?: number },
): UserActivityQuery {
  const reach = reachOf(now);
  const to = Math.max(at + after + 1, reach + DAY);
  const from = to - DAY;
  return { ...who, ...(from > reach && { dateFrom: iso(from) }), dateTo: iso(to) };
}

/** What happened around a row. */
export interface Around {
  /** The nearest rows, the newest first. */
  rows: readonly ActivityRow[];
  /** How many there are; undefined where more came than one answer holds. */
  total: number | undefined;
}

/** So many rows are shown before and after the one in the middle. */
const NEAREST = 50;

/** The rows of an answer that lie around the moment, and of many the nearest; `full` is as many as an answer holds. */
export function around(answer: readonly ActivityRow[], at: number, full: number): Around {
  const rows = answer.filter(({ eventDate }) => Math.abs(Date.parse(eventDate) - at) <= AROUND);
  const middle = rows.findIndex(({ eventDate }) => Date.parse(eventDate) <= at);
  const first = Math.max(0, (middle === -1 ? rows.length : middle) - NEAREST);
  return {
    rows: rows.slice(first, first + 2 * NEAREST + 1),
    total: rows.length < full ? rows.length : undefined,
  };
}

/** The same as a period of the report. */
export const rangeAround = (at: number): Range => ({ from: at - AROUND, to: at + AROUND + 1 });
