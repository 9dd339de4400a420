/** The close of a month (spec 8, rule 3): its data is uploaded before 01:00 of the second day of the next. Pure. */
import { fromWallTimeNearest, toWallTime } from '../../../../contract/rules/dates/wall-time.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Days before the close that the clock shows. */
const WINDOW_DAYS = 7;

/** The next close. */
export interface MonthClose {
  /** Start of the month that closes, in milliseconds since 1970. */
  month: number;
  closesAt: number;
  /** Start of the days that the clock shows. */
  windowStart: number;
  /** Position of now in these days, 0 to 1. */
  share: number;
  /** Whether less than two days are left, so that users without an import of the month should be found now. */
  isNear: boolean;
}

/** The month that closes next in a time zone. */
export function getMonthClose(now: number, timeZone: string): MonthClose {
  const wall = new Date(toWallTime(now, timeZone));
  const year = wall.getUTCFullYear();
  const month = wall.getUTCMonth();
  const getClose = (at: number) => fromWallTimeNearest(Date.UTC(year, at, 2, 1), timeZone);
  const isOpen = now < getClose(month);
  const closing = isOpen ? month - 1 : month;
  const closesAt = getClose(closing + 1);
  const windowStart = closesAt - WINDOW_DAYS * DAY_MS;
  return {
    month: fromWallTimeNearest(Date.UTC(year, closing, 1), timeZone),
    closesAt,
    windowStart,
    share: Math.min(1, Math.max(0, (now - windowStart) / (closesAt - windowStart))),
    isNear: closesAt - now < 2 * DAY_MS,
  };
}

/** The time left until a close: "2 d 4 h", "50 min". */
export function formatTimeToClose(now: number, closesAt: number): string {
  const left = Math.max(0, closesAt - now);
  const days = Math.floor(left / DAY_MS);
  const hours = Math.floor((left % DAY_MS) / HOUR_MS);
  if (days > 0) return `${days} d ${hours} h`;
  const minutes = Math.floor((left % HOUR_MS) / 60_000);
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min`;
}

/** The first day whose items a user with a completed historical upload may still import: the previous month's. */
export function getHistoryEnd(now: number, timeZone: string): number {
  const wall = new Date(toWallTime(now, timeZone));
  return fromWallTimeNearest(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() - 1, 1), timeZone);
}
