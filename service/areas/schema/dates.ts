/**
 * Converts dates between requests and their stored form (spec 4.4, dateTimeBehavior; stored forms: values.ts).
 *
 * A date-time is a point in time. Behaviour 0 reads and writes it in UTC, behaviour 1 in the user's time zone. A
 * date-only value is a calendar day without a zone; with behaviour 1 the site's zone decides at which point in time it
 * begins.
 *
 * Parsing: a text with a zone (`Z`, `+14:00`) is that point in time, and for a date-only field the day it falls on in
 * UTC (0) or on the site (1). A text without a zone is a time in UTC (0) or in the user's zone (1), and for a date-only
 * field the written day. A day alone is the beginning of that day for a date-time field.
 *
 * Daylight saving time: a local time that is skipped moves forward by the length of the gap (02:30 becomes 03:30); of a
 * repeated local time the first occurrence counts; a day whose midnight is skipped begins at its first existing time.
 */

/** IANA time zones for dateTimeBehavior=1. */
export interface TimeZones {
  user: string;
  site: string;
}

export type DateTimeBehavior = 0 | 1;

const DATE_PATTERN = /^\d{4}-\d{2}-\d{2}$/;
/** Days that every month of every year has: valid without a calendar. */
const COMMON_DAY_PATTERN = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
const DATE_TIME_PATTERN =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})?$/;
const LEAP_SECOND_PATTERN = /:60(?:\.|$)/;

/**
 * Parses a date of a request into its stored form: a day, or a UTC timestamp with milliseconds; undefined when it is
 * not a valid date.
 */
export function parseDate(
  text: string,
  isDateOnly: boolean,
  behavior: DateTimeBehavior,
  zones: TimeZones,
): string | undefined {
  try {
    return parseDateOrThrow(text, isDateOnly, behavior, zones);
  } catch (error) {
    // Temporal rejects 30 February; Intl rejects times for which a zone cannot be computed.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parseDateOrThrow(
  text: string,
  isDateOnly: boolean,
  behavior: DateTimeBehavior,
  zones: TimeZones,
): string | undefined {
  if (isDateOnly && COMMON_DAY_PATTERN.test(text)) return text;
  const [siteZone, userZone] = behavior === 1 ? [zones.site, zones.user] : ['UTC', 'UTC'];
  if (DATE_PATTERN.test(text)) {
    const day = parsePlainDate(text);
    return isDateOnly ? day.toString() : formatInstant(day.toZonedDateTime(userZone).toInstant());
  }
  const [, date, time, zone] = DATE_TIME_PATTERN.exec(text) ?? [];
  if (date === undefined || time === undefined || LEAP_SECOND_PATTERN.test(time)) return undefined;
  const local = parsePlainDate(date).toPlainDateTime(Temporal.PlainTime.from(time));
  if (zone === undefined)
    return isDateOnly ? date : formatInstant(local.toZonedDateTime(userZone).toInstant());
  const instant = Temporal.Instant.from(`${local.toString()}${zone.toUpperCase()}`);
  return isDateOnly
    ? formatPlainDate(instant.toZonedDateTimeISO(siteZone).toPlainDate())
    : formatInstant(instant);
}

/** Parses an existing day of the years 1 to 9999. */
function parsePlainDate(text: string): Temporal.PlainDate {
  const day = Temporal.PlainDate.from(text, { overflow: 'reject' });
  requireYear(day.year);
  return day;
}

function requireYear(year: number): void {
  if (year < 1 || year > 9999) throw new RangeError('The year is out of range');
}

function formatPlainDate(day: Temporal.PlainDate): string {
  requireYear(day.year);
  return day.toString();
}

/** Truncates to milliseconds. */
function formatInstant(instant: Temporal.Instant): string {
  requireYear(instant.toZonedDateTimeISO('UTC').year);
  return new Date(instant.epochMilliseconds).toISOString();
}

/**
 * Formats a stored date for a response: in UTC with `Z` (0), or as local time with the offset of the zone at that time
 * (1), so that it names the same point in time wherever it is read.
 */
export function formatDate(
  stored: string,
  isDateOnly: boolean,
  behavior: DateTimeBehavior,
  zones: TimeZones,
): string {
  if (behavior === 0) return isDateOnly ? `${stored}T00:00:00.000Z` : stored;
  const zoned = isDateOnly
    ? Temporal.PlainDate.from(stored).toZonedDateTime(zones.site)
    : Temporal.Instant.from(stored).toZonedDateTimeISO(zones.user);
  const local = zoned.toInstant().toZonedDateTimeISO(formatOffset(zoned.offsetNanoseconds));
  return local.toString({ fractionalSecondDigits: 3, timeZoneName: 'never' });
}

const MINUTE_NS = 60_000_000_000;

/**
 * Formats an offset in whole minutes, as responses require. Offsets before standard time had seconds; rounding up keeps
 * the point in time and prevents a day from appearing to begin on the previous day.
 */
function formatOffset(nanoseconds: number): string {
  const minutes = Math.ceil(nanoseconds / MINUTE_NS);
  const [hours, remainder] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(remainder).padStart(2, '0')}`;
}
