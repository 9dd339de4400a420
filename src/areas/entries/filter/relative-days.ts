import { toWallTime } from '../../../../contract/rules/dates/wall-time.ts';

type ComputeDay = (year: number, month: number, day: number) => number;

const DAY_RULES = new Map<string, ComputeDay>([
  ['Today', (year, month, day) => Date.UTC(year, month, day)],
  ['Yesterday', (year, month, day) => Date.UTC(year, month, day - 1)],
  ['7 days ago', (year, month, day) => Date.UTC(year, month, day - 7)],
  ['30 days ago', (year, month, day) => Date.UTC(year, month, day - 30)],
  ['First of this month', (year, month) => Date.UTC(year, month, 1)],
  ['First of this year', (year) => Date.UTC(year, 0, 1)],
  ['A year ago', (year, month, day) => Date.UTC(year - 1, month, day)],
  ['In 30 days', (year, month, day) => Date.UTC(year, month, day + 30)],
]);

/** Names of days relative to today. Row queries have no relative dates, so a query stores the resulting day. */
export const RELATIVE_DAYS: readonly string[] = [...DAY_RULES.keys()];

/** The day for a name, such as 2026-03-01, where today is that of the zone; undefined for an unknown name. */
export function getRelativeDay(name: string, now: number, zone: string): string | undefined {
  const today = new Date(toWallTime(now, zone));
  const time = DAY_RULES.get(name)?.(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 10);
}
