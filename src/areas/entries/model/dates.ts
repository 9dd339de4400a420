const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string, kind: 'day' | 'clock' | 'exact'): Intl.DateTimeFormat {
  const key = `${kind} ${timeZone}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(undefined, { timeZone, ...OPTIONS[kind] });
  formats.set(key, format);
  return format;
}

const OPTIONS: Record<'day' | 'clock' | 'exact', Intl.DateTimeFormatOptions> = {
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  exact: { dateStyle: 'medium', timeStyle: 'long' },
};

/** A date as a cell shows it, in UTC as the service tells it or in another zone; a day has no time of day (spec 4.4). */
export function dateWords(value: string, isDateOnly: boolean, timeZone = 'UTC'): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return value;
  if (isDateOnly) return formatIn('UTC', 'day').format(at);
  return `${formatIn(timeZone, 'day').format(at)}, ${formatIn(timeZone, 'clock').format(at)}`;
}

const abbreviations = new Map<string, Intl.DateTimeFormat>();

/** How a zone is called at a moment: "UTC", "GMT+2". */
export function zoneMark(value: string, timeZone: string): string {
  if (timeZone === 'UTC') return timeZone;
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return '';
  const format =
    abbreviations.get(timeZone) ??
    new Intl.DateTimeFormat(undefined, { timeZone, hour: '2-digit', timeZoneName: 'short' });
  abbreviations.set(timeZone, format);
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

/** The exact moment in UTC, in the zone of the site and in the reader's own; of a day only that it is one. */
export function dateNote(value: string, isDateOnly: boolean, siteZone: string, ownZone: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return value;
  if (isDateOnly)
    return `${at.toISOString().slice(0, 10)}, a day without a time: the same in every time zone`;
  const said = [`${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`];
  if (siteZone !== 'UTC') said.push(`on the site ${formatIn(siteZone, 'exact').format(at)}`);
  if (ownZone !== 'UTC' && ownZone !== siteZone)
    said.push(`where you are ${formatIn(ownZone, 'exact').format(at)}`);
  return said.join(' · ');
}
