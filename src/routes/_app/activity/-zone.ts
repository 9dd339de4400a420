const DAY = 86_400_000;

const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone that the reader lives in; days of the report begin there. */
export const readerZone = (): string => here;

interface Clock {
  offset: Intl.DateTimeFormat;
  parts: Intl.DateTimeFormat;
}

// Making one takes longer than asking it, and every row of a table asks.
const clocks = new Map<string, Clock>();

function clockOf(timeZone: string): Clock {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = {
    offset: new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' }),
    parts: new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
  };
  clocks.set(timeZone, clock);
  return clock;
}

/** A zone in words beside times: "Europe/London, UTC+1". */
export function zoneWords(zone: string, at: number): string {
  const parts = clockOf(zone).offset.formatToParts(at);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
  const hours = offset.replace('GMT', 'UTC');
  return zone === 'UTC' ? zone : `${zone.replaceAll('_', ' ')}, ${hours}`;
}

/** What a clock in the zone shows, as if it were UTC. */
function clockIn(zone: string, at: number): number {
  const parts = clockOf(zone).parts.formatToParts(at);
  const value = (wanted: string) => Number(parts.find(({ type }) => type === wanted)?.value ?? 0);
  const clock = [value('hour'), value('minute'), value('second')] as const;
  return Date.UTC(value('year'), value('month') - 1, value('day'), ...clock);
}

/** When the clock of a zone shows this time; where it skips it, the moment that the clock goes on. */
function momentOf(zone: string, clock: number): number {
  const first = clock - (clockIn(zone, clock) - clock);
  // Between the two guesses the zone may have changed its offset.
  const second = clock - (clockIn(zone, first) - first);
  return clockIn(zone, second) === clock ? second : Math.max(first, second);
}

/** When the day began in which this moment lies. */
export const startOfDay = (at: number, zone: string): number =>
  momentOf(zone, Math.floor(clockIn(zone, at) / DAY) * DAY);

/** A moment as a field for date and time takes it: "2026-11-21T08:30", by the clock of the zone. */
export const toField = (at: number, zone: string): string =>
  new Date(clockIn(zone, at)).toISOString().slice(0, 16);

/** What such a field says; undefined while it says nothing whole. */
export function fromField(text: string, zone: string): number | undefined {
  const clock = Date.parse(`${text}Z`);
  return Number.isNaN(clock) ? undefined : momentOf(zone, clock);
}
