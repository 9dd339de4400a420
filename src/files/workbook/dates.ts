const DAY = 86_400_000;
/** Days from 1899-12-30, the day 0 of sheets, to 1970. */
const EPOCH = 25_569;
/** From there to the day 0 of sheets that count from 1904. */
const FROM_1904 = 1462;
/** Programs count a 29th of February 1900 that never was: days before it have a number less. */
const NEVER = 60;
const SECOND = 1000;
const NEAR = 5;

/** The formats of dates that have a number and no text (ECMA-376 part 1, 18.8.30). */
const isBuiltIn = (id: number): boolean =>
  [
    [14, 22],
    [27, 36],
    [45, 47],
    [50, 58],
  ].some(([from = 0, to = 0]) => id >= from && id <= to);

/** `[h]:mm:ss`. */
const SPAN_FORMAT = 46;

// Texts, signs and colours that a format shows beside the number.
const BESIDE = /"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

const SPAN = /\[(?:h+|m+|s+)\]/i;

/** As what numbers of a format are shown, where that is no number: a day or moment, or how long something took. */
export type Shown = 'date' | 'span' | undefined;

export function shownAs(id: number, code: string | undefined): Shown {
  if (code === undefined) return id === SPAN_FORMAT ? 'span' : isBuiltIn(id) ? 'date' : undefined;
  const [first = ''] = code.replaceAll(BESIDE, '').split(';');
  if (/general|[0#?]/i.test(first.replaceAll(/\.0+/g, '')) || !/[ymdhs]/i.test(first)) return undefined;
  return SPAN.test(first) ? 'span' : 'date';
}

/** A sheet counts fractions of days: what is nearly a second is one. */
function wholeSecond(time: number): number {
  const whole = Math.round(time / SECOND) * SECOND;
  return Math.abs(time - whole) < NEAR ? whole : Math.round(time);
}

/** What stands in a sheet as a date, as a text: a day, a moment without a zone, or a time of no day. */
export function dateText(serial: number, is1904: boolean): string {
  if (!is1904 && Math.floor(serial) === NEVER) return '1900-02-29';
  const counted = is1904 ? serial + FROM_1904 : serial;
  const isEarly = !is1904 && serial >= 1 && serial < NEVER;
  const at = new Date(wholeSecond((counted - EPOCH + (isEarly ? 1 : 0)) * DAY));
  if (Number.isNaN(at.getTime())) return String(serial);
  const text = at.toISOString();
  if (serial >= 0 && serial < 1) return text.slice(11, -1).replace('.000', '');
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, -1);
}

/** How long something took: hours beyond a day go on. */
export function spanText(days: number): string {
  const seconds = Math.round((Math.abs(days) * DAY) / SECOND);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** A date as the format for exchange writes it (`t="d"`). */
export const isoText = (text: string): string =>
  text.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace(/Z$/, '');
