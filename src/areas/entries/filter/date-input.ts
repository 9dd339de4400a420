import { formatZonedIso } from '../../../../contract/rules/dates/wall-time.ts';
import type { Operand } from '../../../../contract/rules/query/condition.ts';
import { formatWallIso, parseDateTimeField } from '../../../lib/dates/time-zones.ts';
import { isTimestamp } from '../../../lib/dates/timestamps.ts';

const DAY_CHARS = 'YYYY-MM-DD'.length;
const MINUTE_CHARS = 'YYYY-MM-DDThh:mm'.length;
const HAS_OFFSET = /T.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** Adds the zone to a date of a query: a text without one is in UTC, a day alone its beginning (spec 4.4). */
export function addZone(text: string): string {
  const dateTime = text.length === DAY_CHARS ? `${text}T00:00` : text;
  return HAS_OFFSET.test(dateTime) ? dateTime : `${dateTime}Z`;
}

/**
 * Converts a date of a query to the value of a date input, or of a date and time input in wall time of the zone. Text
 * that is not a date is returned as it is.
 */
export function formatDateInput(value: Operand | undefined, isDateOnly: boolean, zone: string): string {
  const text = String(value ?? '');
  const date = addZone(text);
  if (!isTimestamp(date)) return text;
  return isDateOnly
    ? formatWallIso(date, 'UTC').slice(0, DAY_CHARS)
    : formatWallIso(date, zone).slice(0, MINUTE_CHARS);
}

/**
 * Converts the value of a date or date and time input to a date of a query: a day, or a timestamp in UTC. A time that
 * the clocks of the zone skip is moved forward, as the service does. Text that is not a date is returned as it is, so
 * that the query reports the error.
 */
export function parseDateInput(text: string, isDateOnly: boolean, zone: string): string {
  const timestamp = isDateOnly ? undefined : parseDateTimeField(text, zone);
  return timestamp === undefined ? text : formatZonedIso(timestamp, 'UTC');
}
