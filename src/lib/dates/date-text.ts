import { startsWithCalendarDay } from '../../../contract/rules/dates/dates.ts';
import { toWallTime } from '../../../contract/rules/dates/wall-time.ts';
import { foldText } from '../../../contract/rules/fold-text.ts';
import { formatWallIso } from './time-zones.ts';

/** What a date field holds: a day, or a day with a time. */
export type DateKind = 'day' | 'time';

interface DateTextOptions {
  kind: DateKind;
  /** IANA name of the zone in which the field shows times. */
  timeZone: string;
  /** BCP 47 tag; by default the locale of the browser. */
  locale?: string;
  now?: number;
}

interface DateLocale {
  day: Intl.DateTimeFormat;
  minute: Intl.DateTimeFormat;
  second: Intl.DateTimeFormat;
  /** Order of the numbers of a date without a month name. */
  order: readonly string[];
  /** Folded month names, short and long, with the month from 1 to 12. */
  months: readonly { name: string; month: number }[];
  /** Folded words that mean nothing: weekdays and what stands between the numbers ("de", "年"). */
  fillers: ReadonlySet<string>;
  /** Folded words for the halves of a day. */
  periods: ReadonlyMap<string, 'am' | 'pm'>;
}

const DAY_MS = 86_400_000;
const DAY = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
const MINUTE = { ...DAY, hour: 'numeric', minute: '2-digit' } as const;
const WORD = /\p{L}[\p{L}\p{M}.]*|\d+/gu;

/** Folds a word: lower case, without accents, dots and the spaces of "p. m.". */
const foldWord = (word: string): string => foldText(word).replaceAll(/[.\s]/g, '');
const splitWords = (text: string): string[] => [...text.matchAll(WORD)].map(([word]) => foldWord(word));

// Cached: constructing a format is slow, and fields format while somebody types.
const locales = new Map<string | undefined, DateLocale>();

function getDateLocale(locale: string | undefined): DateLocale {
  const cached = locales.get(locale);
  if (cached) return cached;
  const monthDates = Array.from({ length: 12 }, (_, index) => Date.UTC(2026, index, 15));
  const months = monthDates.flatMap((date, index) =>
    [locale, 'en'].flatMap((tag) =>
      (['short', 'long'] as const).flatMap((month) => {
        const parts = new Intl.DateTimeFormat(tag, { ...DAY, month }).formatToParts(date);
        const name = foldWord(parts.find(({ type }) => type === 'month')?.value ?? '');
        return /\d/.test(name) || name === '' ? [] : [{ name, month: index + 1 }];
      }),
    ),
  );
  const minute = new Intl.DateTimeFormat(locale, MINUTE);
  const samples = [minute, new Intl.DateTimeFormat(locale, { ...DAY, month: 'long' })].flatMap((format) =>
    monthDates.flatMap((date) => format.formatToParts(date)),
  );
  const weekdays = [locale, 'en'].flatMap((tag) =>
    (['short', 'long'] as const).flatMap((weekday) =>
      [0, 1, 2, 3, 4, 5, 6].map((day) =>
        new Intl.DateTimeFormat(tag, { weekday, timeZone: 'UTC' }).format(Date.UTC(2026, 1, 1 + day)),
      ),
    ),
  );
  const fillers = [
    ...samples
      .filter(({ type, value }) => type === 'literal' || /\d/.test(value))
      .flatMap(({ value }) => splitWords(value)),
    ...weekdays.map(foldWord),
  ].filter((word) => !/^\d/.test(word));
  const periods = new Map<string, 'am' | 'pm'>([
    ['am', 'am'],
    ['pm', 'pm'],
  ]);
  const twelveHours = new Intl.DateTimeFormat(locale, { hour: 'numeric', hour12: true, timeZone: 'UTC' });
  for (const hour of [9, 15]) {
    const parts = twelveHours.formatToParts(Date.UTC(2026, 0, 1, hour));
    const word = foldWord(parts.find(({ type }) => type === 'dayPeriod')?.value ?? '');
    if (word !== '') periods.set(word, hour < 12 ? 'am' : 'pm');
  }
  const numeric = new Intl.DateTimeFormat(locale, { ...DAY, month: 'numeric' });
  const created: DateLocale = {
    day: new Intl.DateTimeFormat(locale, DAY),
    minute,
    second: new Intl.DateTimeFormat(locale, { ...MINUTE, second: '2-digit' }),
    order: numeric
      .formatToParts(0)
      .flatMap(({ type }) => (type === 'day' || type === 'month' || type === 'year' ? [type] : [])),
    months,
    fillers: new Set(fillers),
    periods,
  };
  locales.set(locale, created);
  return created;
}

const ISO =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ]\s*(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?\s*(?<offset>Z|[+-]\d{2}:?\d{2})?$/i;
const CLOCK = /(?<![\d:])(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?![\d:])/;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Leaves out seconds and milliseconds that are zero. */
const trimSeconds = (iso: string): string =>
  iso.replace(/(T\d{2}:\d{2}):00(\.0+)?$/, '$1').replace(/\.0+$/, '');

/** Returns a value of the kind; undefined where the day does not exist, or a day has a time. */
function toValue(day: string, time: string | undefined, kind: DateKind): string | undefined {
  if (!startsWithCalendarDay(day)) return undefined;
  if (kind === 'day') return time === undefined ? day : undefined;
  const isTime = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?$/.test(time ?? '00:00');
  return isTime ? trimSeconds(`${day}T${time ?? '00:00'}`) : undefined;
}

function parseIso(text: string, { kind, timeZone }: DateTextOptions): string | undefined {
  const { day, time, offset } = ISO.exec(text)?.groups ?? {};
  if (day === undefined) return undefined;
  if (offset === undefined) return toValue(day, time, kind);
  // A stored day is midnight in UTC (spec 4.4).
  if (kind === 'day') return toValue(day, undefined, kind);
  const at = Date.parse(`${day}T${time ?? '00:00'}${offset}`);
  return Number.isNaN(at) || !startsWithCalendarDay(day)
    ? undefined
    : trimSeconds(formatWallIso(new Date(at).toISOString(), timeZone));
}

const DAY_NAMES = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
]);

function parseDayName(
  text: string,
  { kind, timeZone, now = Date.now() }: DateTextOptions,
): string | undefined {
  const wall = toWallTime(now, timeZone);
  if (kind === 'time' && text.toLowerCase() === 'now') return new Date(wall).toISOString().slice(0, 16);
  const days = DAY_NAMES.get(text.toLowerCase());
  if (days === undefined) return undefined;
  return toValue(new Date(wall + days * DAY_MS).toISOString().slice(0, 10), undefined, kind);
}

const readNumber = (text: string | undefined): number => Number(text ?? Number.NaN);

/** A year of four digits, or of two digits in this century. */
const readYear = (text: string | undefined): number =>
  text?.length === 4 ? Number(text) : text?.length === 2 ? 2000 + Number(text) : Number.NaN;

/** Assigns the numbers of a date to day, month and year; undefined where they do not fit. */
function assignNumbers(
  numbers: readonly string[],
  month: number | undefined,
  order: readonly string[],
  thisYear: number,
): { year: number; month: number; day: number } | undefined {
  const [first = '', second, third] = numbers;
  if (month !== undefined) {
    if (numbers.length === 1 && first.length <= 2) return { year: thisYear, month, day: readNumber(first) };
    if (numbers.length !== 2) return undefined;
    const isYearFirst = first.length === 4 || (second?.length !== 4 && order[0] === 'year');
    return isYearFirst
      ? { year: readYear(first), month, day: readNumber(second) }
      : { year: readYear(second), month, day: readNumber(first) };
  }
  if (numbers.length !== 3) return undefined;
  if (first.length === 4) return { year: readYear(first), month: readNumber(second), day: readNumber(third) };
  const at = (part: string) => numbers[order.indexOf(part)];
  return { year: readYear(at('year')), month: readNumber(at('month')), day: readNumber(at('day')) };
}

function parseWords(text: string, options: DateTextOptions): string | undefined {
  const { order, months, fillers, periods } = getDateLocale(options.locale);
  const clock = CLOCK.exec(text);
  const words = splitWords(clock ? text.replace(clock[0], ' ') : text);
  let period: 'am' | 'pm' | undefined;
  let month: number | undefined;
  const numbers: string[] = [];
  for (const word of words) {
    const named = new Set(months.filter(({ name }) => name === word).map((one) => one.month));
    if (named.size === 0 && word.length >= 3)
      for (const one of months) if (one.name.startsWith(word)) named.add(one.month);
    const [onlyMonth] = named;
    if (/^\d+$/.test(word)) numbers.push(word);
    else if (periods.has(word) && clock) period = periods.get(word);
    else if (named.size === 1 && month === undefined) month = onlyMonth;
    else if (!fillers.has(word)) return undefined;
  }
  const thisYear = new Date(toWallTime(options.now ?? Date.now(), options.timeZone)).getUTCFullYear();
  const date = assignNumbers(numbers, month, order, thisYear);
  if (!date) return undefined;
  const day = `${pad(date.year, 4)}-${pad(date.month)}-${pad(date.day)}`;
  if (!clock?.groups) return toValue(day, undefined, options.kind);
  const { hour = '', minute = '', second = '00' } = clock.groups;
  const given = Number(hour);
  if (period !== undefined && (given < 1 || given > 12)) return undefined;
  const hours = period === undefined ? given : (given % 12) + (period === 'pm' ? 12 : 0);
  return toValue(day, `${pad(hours)}:${minute}:${second}`, options.kind);
}

/**
 * Parses a typed or pasted date: ISO 8601, numbers in the order of the locale, or a month by name; "today", "now".
 * Times with an offset are converted to the zone of the field, other times are of that zone.
 * @returns `2026-11-06`, or `2026-11-06T14:30` with seconds unless they are zero; undefined if it is no date
 */
export function parseDateText(text: string, options: DateTextOptions): string | undefined {
  const plain = text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim();
  if (plain === '') return undefined;
  if (ISO.test(plain)) return parseIso(plain, options);
  return parseDayName(plain, options) ?? parseWords(plain, options);
}

/**
 * Formats the value of a date field as the console shows dates: "6 Nov 2026, 14:30". Parsing it gives the same value;
 * where the locale has no such form (another calendar or other digits), and for text that is no date, it is the text
 * of the value itself.
 */
export function formatDateText(value: string, { kind, timeZone, locale }: DateTextOptions): string {
  const at = Date.parse(kind === 'day' ? `${value}T00:00Z` : `${value}Z`);
  if (Number.isNaN(at)) return value;
  const formats = getDateLocale(locale);
  const format = kind === 'day' ? formats.day : at % 60_000 === 0 ? formats.minute : formats.second;
  const text = format.format(at);
  return parseDateText(text, { kind, timeZone, ...(locale !== undefined && { locale }) }) === value
    ? text
    : value.replace('T', ' ');
}
