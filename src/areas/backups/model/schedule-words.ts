import type { BackupSettings } from '../../../api/generated/types.gen.ts';
import { counted } from '../../../lib/numbers.ts';
import { fromField, toField } from '../../../lib/site-zone.ts';

const DAY = 86_400_000;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

const hourWords = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** When the next one is made: the hour of the site's clock, today or tomorrow. */
export function nextAt(hour: number, zone: string, now = Date.now()): number {
  const [today = ''] = toField(now, zone).split('T');
  const at = (day: string) => fromField(`${day}T${hourWords(hour)}`, zone) ?? now;
  if (at(today) > now) return at(today);
  // The day after, by the calendar: some days have 23 hours.
  return at(new Date(Date.parse(today) + DAY).toISOString().slice(0, 10));
}

const localHour = (hour: number, zone: string): string => clock.format(nextAt(hour, zone));

/** "03:00 of Europe/London, 04:00 for you": one clock where both show the same. */
export function clockWords(hour: number, zone: string, reader: string): string {
  const here = localHour(hour, zone);
  const there = `${hourWords(hour)} (${zone.replaceAll('_', ' ')})`;
  return reader === zone ? there : `${there}, ${here} for you`;
}

/** The hours to choose from, by the site's clock and by the reader's. */
export const hourOptions = (zone: string, reader: string) =>
  HOURS.map((hour) => ({
    value: hour,
    label: hourWords(hour),
    ...(reader !== zone && { hint: `${localHour(hour, zone)} for you` }),
  }));

/** What a schedule does, after when: "kept 30 days, with files, newest verified". */
export const ruleWords = ({ keepDays, includeFiles, verify }: BackupSettings): string =>
  [
    `kept ${counted(keepDays, 'day', 'days')}`,
    includeFiles ? 'with files' : 'without files',
    verify ? 'the newest is verified' : 'not verified',
  ].join(' · ');
