/** Order and activity of users by their last imports. Pure. */
import type { ImportDay, UserSyncStatus } from '../../../../contract/generated/types.gen.ts';
import { toWallTime } from '../../../../contract/rules/dates/wall-time.ts';

const DAY_MS = 86_400_000;
const STRIP_DAYS = 90;

export interface SilentUser extends UserSyncStatus {
  /** Time of the last import of either kind; undefined without one. */
  lastDate: number | undefined;
  /** Whole days since then. */
  silentDays: number | undefined;
}

/** Users without an import first, then those whose last import is longest ago. */
export function rankBySilence(users: readonly UserSyncStatus[], now: number): SilentUser[] {
  return users
    .map((user) => {
      const dates = [user.lastEmailSyncDate, user.lastMeetingSyncDate].flatMap((date) =>
        date === null ? [] : [Date.parse(date)],
      );
      const lastDate = dates.length === 0 ? undefined : Math.max(...dates);
      const silentDays =
        lastDate === undefined ? undefined : Math.max(0, Math.floor((now - lastDate) / DAY_MS));
      return { ...user, lastDate, silentDays };
    })
    .toSorted((one, other) => (one.lastDate ?? 0) - (other.lastDate ?? 0) || one.userId - other.userId);
}

/** Users without an import of a month that starts at `month`, those whose last import is longest ago first. */
export const listWithoutImport = <User extends Pick<SilentUser, 'lastDate'>>(
  users: readonly User[],
  month: number,
): User[] => users.filter(({ lastDate }) => lastDate === undefined || lastDate < month);

export interface HeatStrip {
  total: number;
  /** The last 90 days, the earliest first; `level` from 0 (none) to 4. */
  days: readonly { date: string; count: number; level: 0 | 1 | 2 | 3 | 4 }[];
}

/** Items by day of the site's time zone, relative to the busiest day. */
export function toHeatStrip(days: readonly ImportDay[], now: number, timeZone: string): HeatStrip {
  const today = toWallTime(now, timeZone);
  const counts = new Map(days.map(({ date, emails, meetings }) => [date, emails + meetings]));
  const highest = Math.max(1, ...counts.values());
  const strip = Array.from({ length: STRIP_DAYS }, (_, at) => {
    const date = new Date(today - (STRIP_DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    const count = counts.get(date) ?? 0;
    const share = count / highest;
    const level: 0 | 1 | 2 | 3 | 4 =
      count === 0 ? 0 : share > 0.75 ? 4 : share > 0.5 ? 3 : share > 0.25 ? 2 : 1;
    return { date, count, level };
  });
  return { total: strip.reduce((sum, { count }) => sum + count, 0), days: strip };
}
