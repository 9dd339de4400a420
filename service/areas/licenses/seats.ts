import type { LicenseSeats } from '../../../contract/generated/types.gen.ts';
import { licenseTypes, NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { badRequest } from '../../kernel/api-error.ts';
import { EARLIEST_TIMESTAMP, parseTimestamp } from '../../kernel/http/parameters.ts';
import type { SeatChange } from './licenses.store.ts';

const DAY_MS = 24 * 3600_000;
/** Maximum number of days per request: a leap year. */
const MAX_DAYS = 366;

/**
 * Start times (UTC) of the requested days, oldest first, without future days.
 * @throws ApiError 400
 */
export function parseDays(query: { dateFrom?: string; dateTo?: string }, now: number): number[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const last = query.dateTo === undefined ? today : parseTimestamp('dateTo', query.dateTo).getTime();
  const first =
    query.dateFrom === undefined
      ? Math.max(EARLIEST_TIMESTAMP.getTime(), last - (MAX_DAYS - 1) * DAY_MS)
      : parseTimestamp('dateFrom', query.dateFrom).getTime();
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) throw badRequest([{ path: 'dateTo', message: 'must not be before dateFrom' }]);
  if (count > MAX_DAYS)
    throw badRequest([
      { path: 'dateFrom', message: `must be at most ${MAX_DAYS} days before dateTo, both dates included` },
    ]);
  return Array.from({ length: count }, (_, at) => first + at * DAY_MS).filter((day) => day <= today);
}

/** Start times (UTC) of the next days, from tomorrow on. */
export const listNextDays = (count: number, now: number): number[] => {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: count }, (_, at) => today + (at + 1) * DAY_MS);
};

/** The end of the last of these days, which are not empty. */
export const getEnd = (days: readonly number[]): Date => new Date((days.at(-1) ?? 0) + DAY_MS);

/**
 * The seats at the end of each of the next days if only temporary memberships end: a user whose membership ends has no
 * license any more.
 */
export function forecastDailySeats(days: readonly number[], changes: readonly SeatChange[]): LicenseSeats[] {
  const seatCounts = new Map<number, number>();
  const add = (licenseTypeId: number, by: number) =>
    seatCounts.set(licenseTypeId, (seatCounts.get(licenseTypeId) ?? 0) + by);
  const ends: { day: string; licenseTypeId: number; by: number }[] = [];
  for (const { day, licenseTypeId, by } of changes) {
    if (day === null) add(licenseTypeId, by);
    else ends.push({ day, licenseTypeId, by });
  }
  ends.sort((one, other) => other.day.localeCompare(one.day));
  return days.map((at) => {
    const date = formatDay(at);
    for (let next = ends.at(-1); next && next.day <= date; next = ends.at(-1)) {
      add(next.licenseTypeId, -next.by);
      add(NO_LICENSE, next.by);
      ends.pop();
    }
    return { date, ...toSeatCounts(seatCounts) };
  });
}

const formatDay = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The seats at the end of each day, computed backwards from the current seats and the changes of later days. */
export function computeDailySeats(days: readonly number[], changes: readonly SeatChange[]): LicenseSeats[] {
  const seatCounts = new Map<number, number>();
  const add = (licenseTypeId: number, by: number) =>
    seatCounts.set(licenseTypeId, (seatCounts.get(licenseTypeId) ?? 0) + by);
  for (const { day, licenseTypeId, by } of changes) if (day === null) add(licenseTypeId, by);
  const remaining = changes.flatMap(({ day, ...change }) => (day === null ? [] : [{ day, ...change }]));
  remaining.sort((one, other) => one.day.localeCompare(other.day));
  const newestFirst = days.toReversed().map((at) => {
    const date = formatDay(at);
    for (let next = remaining.at(-1); next && next.day > date; next = remaining.at(-1)) {
      add(next.licenseTypeId, -next.by);
      remaining.pop();
    }
    return { date, ...toSeatCounts(seatCounts) };
  });
  return newestFirst.toReversed();
}

function toSeatCounts(seatCounts: ReadonlyMap<number, number>): Omit<LicenseSeats, 'date'> {
  // Never negative, even if rows were deleted from the audit log.
  const [standard = 0, limited = 0, free = 0, none = 0] = licenseTypes.map(({ licenseTypeId }) =>
    Math.max(0, seatCounts.get(licenseTypeId) ?? 0),
  );
  return { standard, limited, free, none, billable: standard + limited };
}
