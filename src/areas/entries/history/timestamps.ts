import type { EntryChange } from '../../../../contract/generated/types.gen.ts';
import { fromWallTime, toWallTime } from '../../../../contract/rules/dates/wall-time.ts';
import { formatWallIso } from '../../../lib/dates/time-zones.ts';
import { isTimestamp } from '../../../lib/dates/timestamps.ts';

/** Timestamp at which the values of a change can be read: after it, or just before a deletion or merge. */
export const getChangeTimestamp = ({ at, kind }: EntryChange): string =>
  kind === 'deleted' || kind === 'merged' ? new Date(Date.parse(at) - 1).toISOString() : at;

/** One or two ISO timestamps to compare, in order of selection. */
export type Timestamps = readonly string[];

/** Selects or deselects a timestamp; a third one replaces the first selected. */
export function toggleTimestamp(timestamps: Timestamps, at: string): Timestamps {
  if (timestamps.includes(at)) return timestamps.filter((other) => other !== at);
  return [...timestamps.slice(-1), at];
}

/**
 * Selects or deselects a change. The newest one is compared with the state before it, because the state after it is that
 * of today; any other one with today, or with the selected one.
 */
export function toggleChange(timestamps: Timestamps, change: EntryChange, isNewest: boolean): Timestamps {
  const at = getChangeTimestamp(change);
  if (!isNewest || at !== change.at) return toggleTimestamp(timestamps, at);
  if (timestamps.includes(at)) return [];
  const [other = new Date(Date.parse(at) - 1).toISOString()] = timestamps.slice(-1);
  return [other, at];
}

/** Sorts timestamps chronologically. */
export const sortTimestamps = (timestamps: Timestamps): Timestamps =>
  timestamps.toSorted((a, b) => Date.parse(a) - Date.parse(b));

/** Parses timestamps of search parameters; invalid ones are left out. */
export const parseTimestamps = (...values: readonly unknown[]): Timestamps =>
  values.flatMap((value) => (isTimestamp(value) ? [new Date(value).toISOString()] : []));

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Formats a timestamp as the value of a datetime input: local time to the minute. */
export const formatLocalMinutes = (at: string, zone: string): string => formatWallIso(at, zone).slice(0, 16);

/** Adds days in a time zone, keeping the time of day; an hour later if clocks skip that time. */
export function addDays(at: string, days: number, zone: string): string {
  const timestamp = Date.parse(at);
  const wall = toWallTime(timestamp, zone) + days * DAY_MS;
  const result = fromWallTime(wall, zone) ?? fromWallTime(wall + HOUR_MS, zone) ?? timestamp + days * DAY_MS;
  return new Date(result).toISOString();
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats a timestamp in a time zone with seconds and the zone's name. */
export function formatTimestamp(at: string, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat(undefined, { timeZone: zone, dateStyle: 'medium', timeStyle: 'long' });
  formats.set(zone, format);
  return format.format(new Date(at));
}
