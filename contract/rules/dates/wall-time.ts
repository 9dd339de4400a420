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
export const fromWallTimeNearest = (wall: number, timeZone: string): number =>
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
