const MINUTE = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    era: 'short',
  });
  formats.set(timeZone, format);
  return format;
}

/** What a clock of the zone shows at a moment, as if it were a moment in UTC. */
function clockAt(moment: number, timeZone: string): number {
  const parts = new Map(
    formatIn(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  const clock = new Date(0);
  clock.setUTCFullYear(year, number('month') - 1, number('day'));
  clock.setUTCHours(number('hour'), number('minute'), number('second'));
  return clock.getTime() + (((moment % 1000) + 1000) % 1000);
}

/** A moment as a clock of the zone shows it, in the form of ISO 8601 without the zone: 2026-03-01T08:00:00.000. */
export const clockText = (iso: string, timeZone: string): string => {
  const moment = Date.parse(iso);
  return Number.isNaN(moment) ? iso : new Date(clockAt(moment, timeZone)).toISOString().slice(0, -1);
};

/**
 * The moment at which a clock of the zone shows this; undefined where none does: an hour that is left out when clocks
 * are put forward. Of an hour that there is twice it is the first.
 */
export function momentAt(clock: string, timeZone: string): string | undefined {
  const shown = Date.parse(`${clock}Z`);
  if (Number.isNaN(shown)) return undefined;
  const day = 24 * 60 * MINUTE;
  const offsets = [shown - day, shown + day].map((near) => clockAt(near, timeZone) - near);
  const moments = offsets.map((offset) => shown - offset).toSorted((a, b) => a - b);
  const found = moments.find((moment) => clockAt(moment, timeZone) === shown);
  return found === undefined ? undefined : new Date(found).toISOString();
}
