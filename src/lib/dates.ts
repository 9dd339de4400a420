const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** A date as a list shows it: "2 min ago", "yesterday", else the day. The exact form stands in the hover. */
export function shortDate(value: string | Date, now = new Date()): string {
  const at = new Date(value);
  const past = now.getTime() - at.getTime();
  if (past >= -MINUTE && past < MINUTE) return relative.format(0, 'second');
  if (past > 0 && past < HOUR) return relative.format(-Math.floor(past / MINUTE), 'minute');
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY);
  if (past > 0 && days === 0) return relative.format(-Math.floor(past / HOUR), 'hour');
  return days === 1 ? relative.format(-1, 'day') : day.format(at);
}

/** A date with its time to the second, in the reader's zone. */
export const exactDate = (value: string | Date): string => exact.format(new Date(value));

/** The time of day, for "as of" marks. */
export const clockTime = (value: number | Date): string => clock.format(value);
