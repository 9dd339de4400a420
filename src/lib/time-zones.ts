import { resolveTimeZone } from '../../contract/rules/time-zones.ts';

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

/** Parses the value of a date and time field; undefined while it is incomplete. */
export function parseDateTimeField(text: string, zone: string): number | undefined {
  const clock = Date.parse(`${text}Z`);
  return Number.isNaN(clock) ? undefined : fromWallTimeNearest(clock, zone);
}

const wallFormats = new Map<string, Intl.DateTimeFormat>();

function getFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = wallFormats.get(timeZone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  wallFormats.set(timeZone, format);
  return format;
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

/** Converts a timestamp to the wall time of a zone, expressed in milliseconds as if it were UTC. */
export function toWallTime(moment: number, timeZone: string): number {
  if (timeZone === 'UTC') return moment;
  const of: Record<string, string> = {};
  for (const { type, value } of getFormat(timeZone).formatToParts(moment)) of[type] = value;
  const year = of['era'] === 'BC' ? 1 - Number(of['year']) : Number(of['year']);
  const wall = new Date(0);
  wall.setUTCFullYear(year, Number(of['month']) - 1, Number(of['day']));
  wall.setUTCHours(Number(of['hour']), Number(of['minute']), Number(of['second']));
  return wall.getTime() + (((moment % 1000) + 1000) % 1000);
}

const DAY_IN_MS = 86_400_000;

// Offsets rarely change: either the offset a day earlier or the one a day later applies.
const nearbyInstants = (wall: number, timeZone: string): number[] =>
  [wall - DAY_IN_MS, wall + DAY_IN_MS].map((near) => wall - (toWallTime(near, timeZone) - near));

/**
 * Converts wall time of a zone to a timestamp: the first of two where clocks are set back, undefined where they skip it.
 */
export function fromWallTime(wall: number, timeZone: string): number | undefined {
  if (timeZone === 'UTC') return wall;
  const timestamps = nearbyInstants(wall, timeZone).filter((moment) => toWallTime(moment, timeZone) === wall);
  return timestamps.length === 0 ? undefined : Math.min(...timestamps);
}

/** Converts wall time to a timestamp; a time that clocks skip is moved forward by the length of the gap. */
const fromWallTimeNearest = (wall: number, timeZone: string): number =>
  fromWallTime(wall, timeZone) ?? Math.max(...nearbyInstants(wall, timeZone));

const padTwo = (value: number): string => String(value).padStart(2, '0');

/** Formats an offset: `+01:00`; undefined for one with seconds, as local mean time has. */
function formatOffset(offset: number): string | undefined {
  const minutes = Math.abs(offset) / 60_000;
  if (!Number.isInteger(minutes)) return undefined;
  return `${offset < 0 ? '-' : '+'}${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`;
}

const toIsoWithoutZone = (at: number): string =>
  new Date(at)
    .toISOString()
    .slice(0, -1)
    .replace(/\.000$/, '');

/** Formats a timestamp as ISO 8601 in wall time with the offset: `2026-03-01T09:00:00+01:00`. */
export function formatZonedIso(moment: number, timeZone: string): string {
  const wall = toWallTime(moment, timeZone);
  const offset = formatOffset(wall - moment);
  const isPlain = wall >= Date.UTC(1000, 0) && wall < Date.UTC(10_000, 0);
  if (timeZone === 'UTC' || offset === undefined || !isPlain) return `${toIsoWithoutZone(moment)}Z`;
  return `${toIsoWithoutZone(wall)}${offset}`;
}

/** Formats a timestamp as ISO 8601 wall time without an offset: `2026-03-01T08:00:00.000`. */
export const formatWallIso = (at: string, timeZone: string): string => {
  const moment = Date.parse(at);
  return Number.isNaN(moment) ? at : new Date(toWallTime(moment, timeZone)).toISOString().slice(0, -1);
};

/** Parses ISO 8601 wall time; undefined if it is invalid or skipped by the clocks of the zone. */
export function parseWallIso(clock: string, timeZone: string): string | undefined {
  const wall = Date.parse(`${clock}Z`);
  const moment = Number.isNaN(wall) ? undefined : fromWallTime(wall, timeZone);
  return moment === undefined ? undefined : new Date(moment).toISOString();
}
