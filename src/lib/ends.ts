const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const startOfDay = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** The moment so many days after another, or from now; a day has 24 hours. */
export const daysAfter = (days: number, from: string | Date = new Date()): Date =>
  new Date(new Date(from).getTime() + days * DAY);

/** How far a moment is away, by days of the calendar: "in 4 days", "tomorrow", "in 5 hours", "3 days ago". */
export function distance(value: string | Date, now = new Date()): string {
  const at = new Date(value);
  const days = Math.round((startOfDay(at) - startOfDay(now)) / DAY);
  if (days !== 0) return relative.format(days, 'day');
  const away = at.getTime() - now.getTime();
  if (Math.abs(away) < HOUR) return relative.format(Math.round(away / MINUTE), 'minute');
  return relative.format(Math.round(away / HOUR), 'hour');
}

/** Whether a moment still lies ahead, and not farther than so many days. */
export function isWithin(value: string | Date, days: number, now = new Date()): boolean {
  const away = new Date(value).getTime() - now.getTime();
  return away > 0 && away <= days * DAY;
}
