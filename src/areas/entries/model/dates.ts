const formats = new Map<string, Intl.DateTimeFormat>();

function getDateFormat(timeZone: string, kind: 'day' | 'clock' | 'exact'): Intl.DateTimeFormat {
  const key = `${kind} ${timeZone}`;
  const cached = formats.get(key);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat(undefined, { timeZone, ...OPTIONS[kind] });
  formats.set(key, format);
  return format;
}

const OPTIONS: Record<'day' | 'clock' | 'exact', Intl.DateTimeFormatOptions> = {
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  exact: { dateStyle: 'medium', timeStyle: 'long' },
};

/** Formats a date value in a time zone; date-only values have no time of day and ignore the zone (spec 4.4). */
export function formatDateValue(value: string, isDateOnly: boolean, timeZone = 'UTC'): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  if (isDateOnly) return getDateFormat('UTC', 'day').format(date);
  return `${getDateFormat(timeZone, 'day').format(date)}, ${getDateFormat(timeZone, 'clock').format(date)}`;
}

const abbreviations = new Map<string, Intl.DateTimeFormat>();

/** Abbreviation of a time zone at a point in time: "UTC", "GMT+2". */
export function formatZoneName(value: string, timeZone: string): string {
  if (timeZone === 'UTC') return timeZone;
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return '';
  const format =
    abbreviations.get(timeZone) ??
    new Intl.DateTimeFormat(undefined, { timeZone, hour: '2-digit', timeZoneName: 'short' });
  abbreviations.set(timeZone, format);
  return format.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

/** Tooltip of a date value: the exact time in UTC, in the site's zone and in the user's zone. */
export function formatDateTooltip(
  value: string,
  isDateOnly: boolean,
  siteZone: string,
  ownZone: string,
): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  if (isDateOnly)
    return `${date.toISOString().slice(0, 10)}, a date without time: the same in every time zone`;
  const parts = [`${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`];
  if (siteZone !== 'UTC') parts.push(`site time ${getDateFormat(siteZone, 'exact').format(date)}`);
  if (ownZone !== 'UTC' && ownZone !== siteZone)
    parts.push(`your time ${getDateFormat(ownZone, 'exact').format(date)}`);
  return parts.join(' · ');
}

/** A point in time in one of the zones that matter to a value. */
export interface ZoneTime {
  /** "UTC", "site" or "you". */
  label: string;
  zone: string;
  /** "1 Mar 2026" */
  day: string;
  /** "23:30" */
  clock: string;
}

/** A point in time in UTC, in the site's zone and in the user's zone, equal zones once; none of an invalid date. */
export function getZoneTimes(value: string, siteZone: string, ownZone: string): readonly ZoneTime[] {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return [];
  const zones = [
    { label: 'UTC', zone: 'UTC' },
    { label: 'site', zone: siteZone },
    { label: 'you', zone: ownZone },
  ];
  return zones
    .filter(({ zone }, at) => zones.findIndex((other) => other.zone === zone) === at)
    .map((zone) => ({
      ...zone,
      day: getDateFormat(zone.zone, 'day').format(date),
      clock: getDateFormat(zone.zone, 'clock').format(date),
    }));
}

/** The times of a value whose calendar day is not the same in UTC, on the site and for the user; otherwise undefined. */
export function findDayShift(
  value: string,
  siteZone: string,
  ownZone: string,
): readonly ZoneTime[] | undefined {
  const times = getZoneTimes(value, siteZone, ownZone);
  return times.some(({ day }) => day !== times[0]?.day) ? times : undefined;
}
