import { startsWithCalendarDay } from '../../../contract/rules/dates/dates.ts';

/** True for a date or timestamp in ISO 8601 of an existing day; Date.parse accepts February 31 as March 3. */
export const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && startsWithCalendarDay(value) && !Number.isNaN(Date.parse(value));
