import { momentNear, wallOf } from './zones.ts';

const DAY = 86_400_000;

const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone that the reader lives in; days of the report begin there. */
export const readerZone = (): string => here;

// Making one takes longer than asking it, and every row of a table asks.
const offsets = new Map<string, Intl.DateTimeFormat>();

function offsetIn(timeZone: string): Intl.DateTimeFormat {
  const known =
    offsets.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' });
  offsets.set(timeZone, known);
  return known;
}

/** A zone in words beside times: "Europe/London, UTC+1". */
export function zoneWords(zone: string, at: number): string {
  const parts = offsetIn(zone).formatToParts(at);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
  const hours = offset.replace('GMT', 'UTC');
  return zone === 'UTC' ? zone : `${zone.replaceAll('_', ' ')}, ${hours}`;
}

/** When the day began in which this moment lies. */
export const startOfDay = (at: number, zone: string): number =>
  momentNear(Math.floor(wallOf(at, zone) / DAY) * DAY, zone);

/** A moment as a field for date and time takes it: "2026-11-21T08:30", by the clock of the zone. */
export const toField = (at: number, zone: string): string =>
  new Date(wallOf(at, zone)).toISOString().slice(0, 16);

/** What such a field says; undefined while it says nothing whole. */
export function fromField(text: string, zone: string): number | undefined {
  const clock = Date.parse(`${text}Z`);
  return Number.isNaN(clock) ? undefined : momentNear(clock, zone);
}
