const day = new Intl.DateTimeFormat(undefined, {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const clock = new Intl.DateTimeFormat(undefined, {
  timeZone: 'UTC',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** A date as a cell shows it, in UTC as the service tells it; a day has no time of day (spec 4.4). */
export function dateWords(value: string, isDateOnly: boolean): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return value;
  return isDateOnly ? day.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

const inZone = new Map<string, Intl.DateTimeFormat>();

function zoned(timeZone: string): Intl.DateTimeFormat {
  const known = inZone.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat(undefined, { timeZone, dateStyle: 'medium', timeStyle: 'long' });
  inZone.set(timeZone, format);
  return format;
}

/** The exact moment in UTC, in the zone of the site and in the reader's; of a day only that it is one. */
export function dateNote(value: string, isDateOnly: boolean, siteZone: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return value;
  if (isDateOnly) return `${at.toISOString().slice(0, 10)}, a day without a time`;
  const utc = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  if (siteZone === 'UTC') return utc;
  return `${utc} · on the site ${zoned(siteZone).format(at)}`;
}
