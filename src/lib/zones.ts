const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
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
  formats.set(timeZone, format);
  return format;
}

/** Whether this is the name of a time zone. */
export function isZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** What clocks in the zone show at a moment, as if it were UTC: in milliseconds. */
export function wallOf(moment: number, timeZone: string): number {
  if (timeZone === 'UTC') return moment;
  const of: Record<string, string> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(moment)) of[type] = value;
  const year = of['era'] === 'BC' ? 1 - Number(of['year']) : Number(of['year']);
  const wall = new Date(0);
  wall.setUTCFullYear(year, Number(of['month']) - 1, Number(of['day']));
  wall.setUTCHours(Number(of['hour']), Number(of['minute']), Number(of['second']));
  return wall.getTime() + (((moment % 1000) + 1000) % 1000);
}

const DAY = 86_400_000;

// Offsets change seldom: one from before or one from after holds.
const nearMoments = (wall: number, timeZone: string): number[] =>
  [wall - DAY, wall + DAY].map((near) => wall - (wallOf(near, timeZone) - near));

/**
 * The moment at which clocks in the zone show this. Where they show it twice, it is the first; where they skip it, it is
 * undefined.
 */
export function momentOf(wall: number, timeZone: string): number | undefined {
  if (timeZone === 'UTC') return wall;
  const fits = nearMoments(wall, timeZone).filter((moment) => wallOf(moment, timeZone) === wall);
  return fits.length === 0 ? undefined : Math.min(...fits);
}

/** The same; where clocks skip it, it is as long after the change as this is after the hour that is skipped. */
export const momentNear = (wall: number, timeZone: string): number =>
  momentOf(wall, timeZone) ?? Math.max(...nearMoments(wall, timeZone));

const two = (value: number): string => String(value).padStart(2, '0');

/** `+01:00`; undefined for an offset with seconds, which zones had before there were time zones. */
function offsetText(offset: number): string | undefined {
  const minutes = Math.abs(offset) / 60_000;
  if (!Number.isInteger(minutes)) return undefined;
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const iso = (at: number): string =>
  new Date(at)
    .toISOString()
    .slice(0, -1)
    .replace(/\.000$/, '');

/** `2026-03-01T09:00:00+01:00`: what clocks in the zone show, and how far they are from UTC. */
export function zonedText(moment: number, timeZone: string): string {
  const wall = wallOf(moment, timeZone);
  const offset = offsetText(wall - moment);
  const isPlain = wall >= Date.UTC(1000, 0) && wall < Date.UTC(10_000, 0);
  if (timeZone === 'UTC' || offset === undefined || !isPlain) return `${iso(moment)}Z`;
  return `${iso(wall)}${offset}`;
}

/** A moment as clocks of the zone show it, in the form of ISO 8601 without the zone: 2026-03-01T08:00:00.000. */
export const clockText = (at: string, timeZone: string): string => {
  const moment = Date.parse(at);
  return Number.isNaN(moment) ? at : new Date(wallOf(moment, timeZone)).toISOString().slice(0, -1);
};

/** The moment at which clocks of the zone first show this; undefined where they skip it, or it is no time. */
export function momentAt(clock: string, timeZone: string): string | undefined {
  const wall = Date.parse(`${clock}Z`);
  const moment = Number.isNaN(wall) ? undefined : momentOf(wall, timeZone);
  return moment === undefined ? undefined : new Date(moment).toISOString();
}
