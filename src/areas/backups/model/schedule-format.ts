import type { BackupSettings } from '../../../../contract/generated/types.gen.ts';
import { parseDateTimeField, toDateTimeField } from '../../../lib/dates/time-zones.ts';
import { pluralize } from '../../../lib/numbers.ts';

const DAY_MS = 86_400_000;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Time of the next scheduled backup in milliseconds: the hour in the time zone of the site, today or tomorrow. */
export function getNextRunTime(hour: number, zone: string, now = Date.now()): number {
  const [today = ''] = toDateTimeField(now, zone).split('T');
  const at = (day: string) => parseDateTimeField(`${day}T${formatHour(hour)}`, zone) ?? now;
  if (at(today) > now) return at(today);
  // The next calendar day: days may have 23 or 25 hours.
  return at(new Date(Date.parse(today) + DAY_MS).toISOString().slice(0, 10));
}

const formatLocalHour = (hour: number, zone: string): string => clock.format(getNextRunTime(hour, zone));

/** "03:00 (Europe/London), 04:00 for you"; the second time is omitted if the zones are the same. */
export function formatScheduleTime(hour: number, zone: string, browserZone: string): string {
  const here = formatLocalHour(hour, zone);
  const there = `${formatHour(hour)} (${zone.replaceAll('_', ' ')})`;
  return browserZone === zone ? there : `${there}, ${here} for you`;
}

/** Options of the hour in the time zone of the site, with the time in the browser's zone as a hint. */
export const buildHourOptions = (zone: string, browserZone: string) =>
  HOURS.map((hour) => ({
    value: hour,
    label: formatHour(hour),
    ...(browserZone !== zone && { hint: `${formatLocalHour(hour, zone)} for you` }),
  }));

/** Rules of a schedule: "kept 30 days · with files · the newest is verified". */
export const formatScheduleRules = ({ keepDays, includeFiles, verify }: BackupSettings): string =>
  [
    `kept ${pluralize(keepDays, 'day', 'days')}`,
    includeFiles ? 'with files' : 'without files',
    verify ? 'the newest is verified' : 'not verified',
  ].join(' · ');
