import type { LicenseSeats } from '../../../contract/generated/types.gen.ts';
import { licenseTypes } from '../../../contract/rules/licenses.ts';
import { invalid } from '../../kernel/http/errors.ts';
import type { SeatChange } from './store.ts';

const DAY = 24 * 3600_000;
/** As many days as one request may ask for: a leap year. */
const MOST_DAYS = 366;

/** The beginnings of the days asked for (UTC), oldest first; days to come are left out. */
export function readDays(query: { dateFrom?: string; dateTo?: string }, now: number): number[] {
  const today = Math.floor(now / DAY) * DAY;
  const last = query.dateTo === undefined ? today : Date.parse(query.dateTo);
  const first = query.dateFrom === undefined ? last - (MOST_DAYS - 1) * DAY : Date.parse(query.dateFrom);
  const count = (last - first) / DAY + 1;
  if (count < 1) throw invalid([{ path: 'dateTo', message: 'must not be before dateFrom' }]);
  if (count > MOST_DAYS)
    throw invalid([
      { path: 'dateFrom', message: `must be at most ${MOST_DAYS} days, the last included, before dateTo` },
    ]);
  return Array.from({ length: count }, (_, at) => first + at * DAY).filter((day) => day <= today);
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The seats at the end of each day: those of now, from which the changes of every later day are taken back. */
export function seatsOf(days: readonly number[], changes: readonly SeatChange[]): LicenseSeats[] {
  const held = new Map<number, number>();
  const add = (licenseTypeId: number, by: number) =>
    held.set(licenseTypeId, (held.get(licenseTypeId) ?? 0) + by);
  for (const { day, licenseTypeId, by } of changes) if (day === null) add(licenseTypeId, by);
  const newestLast = changes.flatMap(({ day, ...change }) => (day === null ? [] : [{ day, ...change }]));
  newestLast.sort((one, other) => one.day.localeCompare(other.day));
  const walked = days.toReversed().map((at) => {
    const date = dayOf(at);
    for (let next = newestLast.at(-1); next && next.day > date; next = newestLast.at(-1)) {
      add(next.licenseTypeId, -next.by);
      newestLast.pop();
    }
    return { date, ...named(held) };
  });
  return walked.toReversed();
}

function named(held: ReadonlyMap<number, number>): Omit<LicenseSeats, 'date'> {
  // Never below nothing, even where somebody has thinned out the audit log.
  const [standard = 0, limited = 0, free = 0, none = 0] = licenseTypes.map(({ licenseTypeId }) =>
    Math.max(0, held.get(licenseTypeId) ?? 0),
  );
  return { standard, limited, free, none, billable: standard + limited };
}
