import { startsWithCalendarDay } from '../../../contract/rules/dates/dates.ts';
import { resolveTimeZone } from '../../../contract/rules/dates/time-zones.ts';
import { fromWallTime, fromWallTimeNearest, toWallTime } from '../../../contract/rules/dates/wall-time.ts';

const DAY_MS = 86_400_000;

const browserTimeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the time zone of the browser; days of the activity report start in it. */
export const getBrowserTimeZone = (): string => browserTimeZone;

// Cached: constructing a format is slow, and every row of a table needs one.
const offsetFormats = new Map<string, Intl.DateTimeFormat>();

function getOffsetFormat(timeZone: string): Intl.DateTimeFormat {
  const cached =
    offsetFormats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' });
  offsetFormats.set(timeZone, cached);
  return cached;
}

/** Formats a time zone with its offset: "Europe/London, UTC+1"; without it if this browser does not know the zone. */
export function formatTimeZone(zone: string, at: number): string {
  if (zone === 'UTC' || !isTimeZone(zone)) return formatTimeZoneName(zone);
  const parts = getOffsetFormat(zone).formatToParts(at);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
  return `${formatTimeZoneName(zone)}, ${offset.replace('GMT', 'UTC')}`;
}

/** Returns the start of the day that contains a timestamp. */
export const getStartOfDay = (at: number, zone: string): number =>
  fromWallTimeNearest(Math.floor(toWallTime(at, zone) / DAY_MS) * DAY_MS, zone);

/** Formats a timestamp for a date and time field in wall time of the zone: "2026-11-21T08:30". */
export const toDateTimeField = (at: number, zone: string): string =>
  new Date(toWallTime(at, zone)).toISOString().slice(0, 16);

const WALL_ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/;

/** Parses ISO 8601 wall time; undefined for other texts, of which `Date.parse` guesses a date: "5", "May 2027". */
function parseWallTime(text: string): number | undefined {
  const wall = WALL_ISO.test(text) && startsWithCalendarDay(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return Number.isNaN(wall) ? undefined : wall;
}

/** Parses the value of a date and time field; undefined while it is incomplete. */
export function parseDateTimeField(text: string, zone: string): number | undefined {
  const wall = parseWallTime(text);
  return wall === undefined ? undefined : fromWallTimeNearest(wall, zone);
}

/** Whether a name is an IANA time zone. */
export const isTimeZone = (name: string): boolean => resolveTimeZone(name) !== undefined;

/** Names of the time zones that this browser knows, UTC first. */
export const listTimeZones = (): readonly string[] => [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC'),
];

/** A time zone as options and labels name it: "America/New York". */
export const formatTimeZoneName = (zone: string): string => zone.replaceAll('_', ' ');

/** Formats a timestamp as ISO 8601 wall time without an offset: `2026-03-01T08:00:00.000`. */
export const formatWallIso = (at: string, timeZone: string): string => {
  const moment = Date.parse(at);
  return Number.isNaN(moment) ? at : new Date(toWallTime(moment, timeZone)).toISOString().slice(0, -1);
};

/** Parses ISO 8601 wall time; undefined if it is invalid or skipped by the clocks of the zone. */
export function parseWallIso(clock: string, timeZone: string): string | undefined {
  const wall = parseWallTime(clock);
  const moment = wall === undefined ? undefined : fromWallTime(wall, timeZone);
  return moment === undefined ? undefined : new Date(moment).toISOString();
}
