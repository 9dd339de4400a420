/**
 * Dates between requests and the database (spec 4.4, dateTimeBehavior; value forms: values.ts).
 *
 * A date-time is a moment. With behaviour 0 it is read and written in UTC, with 1 in the zone of the user. A date-only
 * value is a calendar day and belongs to no zone; with 1 the zone of the site says at which moment it begins.
 *
 * Written by a request: a text with a zone (`Z`, `+14:00`) is that moment, and for a date-only field the day it is then
 * in UTC (0) or on the site (1). A text without one is a moment in UTC (0) or in the user's zone (1), and for a
 * date-only field the day that stands there. A day alone is for a date-time field the beginning of that day.
 *
 * Where a clock is put forward, a time that it leaves out is taken as long after the change as it stands behind it
 * (02:30 is 03:30); where it is put back, a time that comes twice is the first of the two; a day whose midnight is left
 * out begins at the first moment there is.
 */

/** The zones that dateTimeBehavior=1 speaks of, as IANA names. */
export interface Zones {
  user: string;
  site: string;
}

export type DateTimeBehavior = 0 | 1;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})?$/;
const SECONDS_60 = /:60(?:\.|$)/;

/** A written date as it is stored: a day, or a moment in UTC with milliseconds; undefined: it is no date. */
export function storedDate(
  text: string,
  isDateOnly: boolean,
  behavior: DateTimeBehavior,
  zones: Zones,
): string | undefined {
  try {
    return readDate(text, isDateOnly, behavior, zones);
  } catch (error) {
    // Temporal refuses the 30th of February; Intl a moment in which a zone cannot be computed.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readDate(
  text: string,
  isDateOnly: boolean,
  behavior: DateTimeBehavior,
  zones: Zones,
): string | undefined {
  const [siteZone, userZone] = behavior === 1 ? [zones.site, zones.user] : ['UTC', 'UTC'];
  if (DAY.test(text)) {
    const day = plainDay(text);
    return isDateOnly ? day.toString() : momentText(day.toZonedDateTime(userZone).toInstant());
  }
  const [, date, time, zone] = MOMENT.exec(text) ?? [];
  if (date === undefined || time === undefined || SECONDS_60.test(time)) return undefined;
  const local = plainDay(date).toPlainDateTime(Temporal.PlainTime.from(time));
  if (zone === undefined) return isDateOnly ? date : momentText(local.toZonedDateTime(userZone).toInstant());
  const instant = Temporal.Instant.from(`${local.toString()}${zone.toUpperCase()}`);
  return isDateOnly ? dayText(instant.toZonedDateTimeISO(siteZone).toPlainDate()) : momentText(instant);
}

/** A day that exists, of the years 1 to 9999. */
function plainDay(text: string): Temporal.PlainDate {
  const day = Temporal.PlainDate.from(text, { overflow: 'reject' });
  requireYear(day.year);
  return day;
}

function requireYear(year: number): void {
  if (year < 1 || year > 9999) throw new RangeError('The year is out of range');
}

function dayText(day: Temporal.PlainDate): string {
  requireYear(day.year);
  return day.toString();
}

/** What is finer than milliseconds is cut off. */
function momentText(instant: Temporal.Instant): string {
  requireYear(instant.toZonedDateTimeISO('UTC').year);
  return new Date(instant.epochMilliseconds).toISOString();
}

/**
 * A stored date as a response says it: in UTC with `Z` (0), or with the offset of the zone at that moment (1), so that
 * it names the same moment wherever it is read and reads as the local time.
 */
export function shownDate(
  stored: string,
  isDateOnly: boolean,
  behavior: DateTimeBehavior,
  zones: Zones,
): string {
  if (behavior === 0) return isDateOnly ? `${stored}T00:00:00.000Z` : stored;
  const moment = isDateOnly
    ? Temporal.PlainDate.from(stored).toZonedDateTime(zones.site)
    : Temporal.Instant.from(stored).toZonedDateTimeISO(zones.user);
  const local = moment.toInstant().toZonedDateTimeISO(wholeMinutes(moment.offsetNanoseconds));
  return local.toString({ fractionalSecondDigits: 3, timeZoneName: 'never' });
}

const MINUTE = 60_000_000_000;

/**
 * The offset as a response can say it. Before zones had whole minutes the next one up is said and the clock with it: the
 * moment stays what it is, and a day does not seem to begin on the day before.
 */
function wholeMinutes(nanoseconds: number): string {
  const minutes = Math.ceil(nanoseconds / MINUTE);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}
