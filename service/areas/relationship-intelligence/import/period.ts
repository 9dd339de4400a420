import { fromWallTimeNearest, toWallTime } from '../../../../contract/rules/dates/wall-time.ts';

const DAY_MS = 86_400_000;

/** Limits in time for the items of an import, in milliseconds since 1970. */
export interface ImportPeriod {
  /** Items from here on are always accepted: start of the previous month in the site's zone. */
  previousMonth: number;
  currentMonth: number;
  /** Whether the time for data of the previous month has passed: 01:00 of the second day (spec 8). */
  isMonthClosed: boolean;
  /** Items before this are older than the historical sync period. */
  historyStart: number;
}

/** Start of the month that lies `offset` months after that of the wall time. */
const getMonth = (wall: number, offset: number): number => {
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
};

/** 01:00 of the second day of a month that begins at this wall time. */
const getClose = (month: number): number => month + DAY_MS + 3_600_000;

export function getImportPeriod(now: number, timeZone: string, historyDays: number): ImportPeriod {
  const wall = toWallTime(now, timeZone);
  const [previous, current] = [getMonth(wall, -1), getMonth(wall, 0)];
  return {
    previousMonth: fromWallTimeNearest(previous, timeZone),
    currentMonth: fromWallTimeNearest(current, timeZone),
    isMonthClosed: now >= fromWallTimeNearest(getClose(current), timeZone),
    historyStart: now - historyDays * DAY_MS,
  };
}

/** The next moment at which the data of a month is due: 01:00 of the second day of the month after it. */
export function getNextClose(now: number, timeZone: string): number {
  const wall = toWallTime(now, timeZone);
  const close = fromWallTimeNearest(getClose(getMonth(wall, 0)), timeZone);
  return now < close ? close : fromWallTimeNearest(getClose(getMonth(wall, 1)), timeZone);
}

/** What the time of an item means for it; undefined: it is in time. */
export function checkTime(
  at: number,
  period: ImportPeriod,
  isHistoryComplete: boolean,
): 'BEFORE_PERIOD' | 'HISTORY_CLOSED' | 'LATE_FOR_MONTH' | undefined {
  if (at >= period.currentMonth) return undefined;
  if (at >= period.previousMonth) return period.isMonthClosed ? 'LATE_FOR_MONTH' : undefined;
  if (at < period.historyStart) return 'BEFORE_PERIOD';
  return isHistoryComplete ? 'HISTORY_CLOSED' : undefined;
}
