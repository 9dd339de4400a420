import { momentOf, wallOf, clockText as wholeClockText } from '../../../lib/zones.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** A moment as a field for days and times has it: what clocks in the zone show, to the minute. */
export const clockText = (at: string, zone: string): string => wholeClockText(at, zone).slice(0, 16);

/** The same time of day, some days on in the zone; where its clocks skip that, an hour later. */
export function daysOn(at: string, days: number, zone: string): string {
  const moment = Date.parse(at);
  const wall = wallOf(moment, zone) + days * DAY;
  const shown = momentOf(wall, zone) ?? momentOf(wall + HOUR, zone) ?? moment + days * DAY;
  return new Date(shown).toISOString();
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A moment in the zone, to the second, with how the zone is called. */
export function momentWords(at: string, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat(undefined, { timeZone: zone, dateStyle: 'medium', timeStyle: 'long' });
  formats.set(zone, format);
  return format.format(new Date(at));
}
