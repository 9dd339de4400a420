const DAY_MS = 86_400_000;
/** Serial number of 1970-01-01; day 0 is 1899-12-30. */
const UNIX_EPOCH_SERIAL = 25_569;
/** Days between day 0 of the 1900 and the 1904 date system. */
const DAYS_FROM_1900_TO_1904 = 1462;
/** Serial number of 1900-02-29, which did not exist; earlier days are one number lower. */
const FALSE_LEAP_DAY = 60;
const SECOND_MS = 1000;
const ROUNDING_MS = 5;

/** Whether a number format id is a built-in date format (ECMA-376 part 1, 18.8.30). */
const isBuiltInDateFormat = (id: number): boolean =>
  [
    [14, 22],
    [27, 36],
    [45, 47],
    [50, 58],
  ].some(([from = 0, to = 0]) => id >= from && id <= to);

/** `[h]:mm:ss`. */
const BUILT_IN_DURATION_FORMAT = 46;

// Literals, padding and colours of a number format.
const FORMAT_LITERALS = /"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

const DURATION_PATTERN = /\[(?:h+|m+|s+)\]/i;

/** What numbers of a format represent: a date or time, a duration, or undefined for a plain number. */
export type NumberKind = 'date' | 'span' | undefined;

/** Returns what numbers of a format represent. */
export function getNumberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined)
    return id === BUILT_IN_DURATION_FORMAT ? 'span' : isBuiltInDateFormat(id) ? 'date' : undefined;
  const [first = ''] = code.replaceAll(FORMAT_LITERALS, '').split(';');
  if (/general|[0#?]/i.test(first.replaceAll(/\.0+/g, '')) || !/[ymdhs]/i.test(first)) return undefined;
  return DURATION_PATTERN.test(first) ? 'span' : 'date';
}

/** Rounds to a full second within the precision of serial numbers. */
function roundToSecond(time: number): number {
  const whole = Math.round(time / SECOND_MS) * SECOND_MS;
  return Math.abs(time - whole) < ROUNDING_MS ? whole : Math.round(time);
}

/** Formats a serial number as a day, a timestamp without a zone, or a time without a day. */
export function formatSerialDate(serial: number, is1904: boolean): string {
  if (!is1904 && Math.floor(serial) === FALSE_LEAP_DAY) return '1900-02-29';
  const counted = is1904 ? serial + DAYS_FROM_1900_TO_1904 : serial;
  const isEarly = !is1904 && serial >= 1 && serial < FALSE_LEAP_DAY;
  const at = new Date(roundToSecond((counted - UNIX_EPOCH_SERIAL + (isEarly ? 1 : 0)) * DAY_MS));
  if (Number.isNaN(at.getTime())) return String(serial);
  const text = at.toISOString();
  if (serial >= 0 && serial < 1) return text.slice(11, -1).replace('.000', '');
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, -1);
}

/** Formats a duration given in days as `hh:mm:ss`; hours may exceed 24. */
export function formatDuration(days: number): string {
  const seconds = Math.round((Math.abs(days) * DAY_MS) / SECOND_MS);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** Normalizes an ISO 8601 date cell (`t="d"`): removes the zone and a time of midnight. */
export const normalizeIsoDate = (text: string): string =>
  text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace(/Z$/, '');
