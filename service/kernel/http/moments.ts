import { invalid } from './errors.ts';
import { beginsWithDay } from '../../../contract/rules/days.ts';

/**
 * The moment that a parameter names; without a zone it is UTC (shapes 1).
 * @throws ApiError 400 for what is no day and time
 */
export function readMoment(path: string, text: string): Date {
  const zoned = !text.includes('T') || /(Z|[+-]\d{2}:\d{2})$/.test(text);
  const moment = new Date(zoned ? text : `${text}Z`);
  // A zone can carry the last day into the year 10000, or the first into 0, which the database reads otherwise.
  const year = moment.getUTCFullYear();
  if (!(year >= 1 && year <= 9999) || !beginsWithDay(text))
    throw invalid([{ path, message: 'is not a day and time of the calendar' }]);
  return moment;
}

/** How far back `modifiedSince` may look (shapes 1, history window). */
export const HISTORY_DAYS = 180;
const DAY_MS = 86_400_000;

/** @throws ApiError 400 when `modifiedSince` is further back than the history window */
export function readModifiedSince(text: string, now: number): Date {
  const moment = readMoment('modifiedSince', text);
  if (moment.getTime() < now - HISTORY_DAYS * DAY_MS)
    throw invalid([{ path: 'modifiedSince', message: `must be at most ${HISTORY_DAYS} days back` }]);
  return moment;
}
