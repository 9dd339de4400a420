import { capitalize } from '../text/sentences.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const shortRelativeFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const relativeFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const dayOfYearFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const getStartOfDay = (date: Date): number =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Formats a past date for lists: "2 min ago", "yesterday", otherwise the day. Show the exact form on hover. */
export function formatShortDate(value: string | Date, now = new Date()): string {
  const date = new Date(value);
  const age = now.getTime() - date.getTime();
  if (age >= -MINUTE_MS && age < MINUTE_MS) return shortRelativeFormat.format(0, 'second');
  if (age > 0 && age < HOUR_MS) return shortRelativeFormat.format(-Math.floor(age / MINUTE_MS), 'minute');
  const days = Math.round((getStartOfDay(now) - getStartOfDay(date)) / DAY_MS);
  if (age > 0 && days === 0) return shortRelativeFormat.format(-Math.floor(age / HOUR_MS), 'hour');
  return days === 1 ? shortRelativeFormat.format(-1, 'day') : dayFormat.format(date);
}

/** Formats the day of a past date as a heading: "Today", "Yesterday", otherwise the date. */
export function formatDayHeading(value: string | Date, now = new Date()): string {
  const date = new Date(value);
  const days = Math.round((getStartOfDay(now) - getStartOfDay(date)) / DAY_MS);
  const text = days > 1 ? dayFormat.format(date) : relativeFormat.format(-Math.max(days, 0), 'day');
  return capitalize(text);
}

/** Formats the time of day without seconds. */
export const formatClock = (value: string | Date): string => clockFormat.format(new Date(value));

/** Tells if a time is on the current day of the browser's time zone. */
export const isToday = (value: string | Date, now = new Date()): boolean =>
  getStartOfDay(new Date(value)) === getStartOfDay(now);

/** Formats a time near today: "17:04", "tomorrow, 16:20", "6 Nov, 09:00". */
export const formatMoment = (value: string | Date, now = new Date()): string =>
  formatNearToday(new Date(value), clockFormat, now);

/** Formats a time near today to the second: "17:04:09", "tomorrow, 16:20:00". */
export const formatExactMoment = (value: number | Date, now = new Date()): string =>
  formatNearToday(new Date(value), timeFormat, now);

function formatNearToday(date: Date, timeOfDay: Intl.DateTimeFormat, now: Date): string {
  const clock = timeOfDay.format(date);
  if (isToday(date, now)) return clock;
  const nextDay = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const day = isToday(date, nextDay)
    ? relativeFormat.format(1, 'day')
    : (date.getFullYear() === now.getFullYear() ? dayOfYearFormat : dayFormat).format(date);
  return `${day}, ${clock}`;
}

/** Formats a date with its time to the second, in the time zone of the browser. */
export const formatExactDate = (value: string | Date): string => exactFormat.format(new Date(value));

/** Formats the time of day, for "as of" labels. */
export const formatTime = (value: number | Date): string => timeFormat.format(value);

/** Adds days of 24 hours to a date, by default to now. */
export const addDays = (days: number, from: string | Date = new Date()): Date =>
  new Date(new Date(from).getTime() + days * DAY_MS);

/** Formats the distance to a date by calendar days: "in 4 days", "tomorrow", "in 5 hours", "3 days ago". */
export function formatDistance(value: string | Date, now = new Date()): string {
  const date = new Date(value);
  const days = Math.round((getStartOfDay(date) - getStartOfDay(now)) / DAY_MS);
  if (days !== 0) return relativeFormat.format(days, 'day');
  const distance = date.getTime() - now.getTime();
  if (Math.abs(distance) < HOUR_MS) return relativeFormat.format(Math.round(distance / MINUTE_MS), 'minute');
  return relativeFormat.format(Math.round(distance / HOUR_MS), 'hour');
}

/** Formats the distance to a time precisely below an hour: "in 40 seconds", "5 minutes ago"; otherwise by calendar days. */
export function formatPreciseDistance(value: string | Date, now = new Date()): string {
  const distance = new Date(value).getTime() - now.getTime();
  if (Math.abs(distance) >= HOUR_MS) return formatDistance(value, now);
  return Math.abs(distance) < MINUTE_MS
    ? relativeFormat.format(Math.round(distance / 1000), 'second')
    : relativeFormat.format(Math.round(distance / MINUTE_MS), 'minute');
}

/** Whether a time has been reached. */
export const isPast = (value: string | Date, now = new Date()): boolean => new Date(value) <= now;

/** Whether a date is in the future and at most `days` days away. */
export function isWithinDays(value: string | Date, days: number, now = new Date()): boolean {
  const distance = new Date(value).getTime() - now.getTime();
  return distance > 0 && distance <= days * DAY_MS;
}
