/** The closed list of formats of a placeholder: `{Founded | date:'d MMM yyyy'}`. */
import { toWallTime } from '../../../../contract/rules/dates/wall-time.ts';
import type { ReportValue, ValueKind } from './values.ts';

/** Settings of a report that formats use. */
export interface FormatContext {
  /** IANA time zone of moments. */
  timeZone: string;
}

interface ValueFormat {
  name: string;
  description: string;
  /** As it stands after the bar. */
  example: string;
  /** Kinds of values that it shows; undefined for all. */
  kinds?: readonly ValueKind[];
  minArguments: number;
  maxArguments: number;
  /** Why the arguments are invalid; undefined for valid ones. */
  findFault?: (args: readonly string[]) => string | undefined;
  /** Undefined for an empty value. */
  apply(
    value: ReportValue | undefined,
    args: readonly string[],
    context: FormatContext,
  ): ReportValue | undefined;
}

const MAX_DECIMALS = 10;
const toText = (text: string): ReportValue => ({ kind: 'text', text });

/** Applies a format to a list item by item. */
const mapItems = (
  value: ReportValue | undefined,
  map: (item: Exclude<ReportValue, { kind: 'list' }>) => ReportValue,
): ReportValue | undefined => {
  if (value?.kind !== 'list') return value && map(value);
  return { kind: 'list', items: value.items.flatMap((item) => mapItems(item, map) ?? []) };
};

const findDecimalsFault = ([decimals]: readonly string[]): string | undefined =>
  decimals === undefined || (/^\d{1,2}$/.test(decimals) && Number(decimals) <= MAX_DECIMALS)
    ? undefined
    : `"${decimals}" is not a number of decimals from 0 to ${MAX_DECIMALS}`;

const numberFormats = new Map<string, Intl.NumberFormat>();

function formatNumber(
  value: number,
  minDecimals: number,
  maxDecimals: number,
  style: 'decimal' | 'percent' = 'decimal',
): string {
  const key = `${style} ${minDecimals} ${maxDecimals}`;
  const format =
    numberFormats.get(key) ??
    new Intl.NumberFormat('en', {
      style,
      minimumFractionDigits: minDecimals,
      maximumFractionDigits: maxDecimals,
    });
  numberFormats.set(key, format);
  return format.format(value);
}

const formatFixed = (
  value: number,
  decimals: string | undefined,
  preset: number,
  style?: 'decimal' | 'percent',
): string =>
  decimals === undefined
    ? formatNumber(value, 0, preset, style)
    : formatNumber(value, Number(decimals), Number(decimals), style);

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const padTwo = (value: number): string => String(value).padStart(2, '0');

/** Parts of a date pattern by name. */
const DATE_PARTS: Readonly<Record<string, (wall: Date) => string>> = {
  yyyy: (wall) => String(wall.getUTCFullYear()).padStart(4, '0'),
  yy: (wall) => padTwo(wall.getUTCFullYear() % 100),
  MMMM: (wall) => MONTHS[wall.getUTCMonth()] ?? '',
  MMM: (wall) => (MONTHS[wall.getUTCMonth()] ?? '').slice(0, 3),
  MM: (wall) => padTwo(wall.getUTCMonth() + 1),
  M: (wall) => String(wall.getUTCMonth() + 1),
  dd: (wall) => padTwo(wall.getUTCDate()),
  d: (wall) => String(wall.getUTCDate()),
  EEEE: (wall) => DAYS[wall.getUTCDay()] ?? '',
  EEE: (wall) => (DAYS[wall.getUTCDay()] ?? '').slice(0, 3),
  HH: (wall) => padTwo(wall.getUTCHours()),
  H: (wall) => String(wall.getUTCHours()),
  hh: (wall) => padTwo(wall.getUTCHours() % 12 || 12),
  h: (wall) => String(wall.getUTCHours() % 12 || 12),
  mm: (wall) => padTwo(wall.getUTCMinutes()),
  ss: (wall) => padTwo(wall.getUTCSeconds()),
  a: (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
};
const PATTERN_PARTS = /([a-zA-Z])\1*/g;
const DEFAULT_DAY_PATTERN = 'yyyy-MM-dd';
const DEFAULT_MOMENT_PATTERN = 'yyyy-MM-dd HH:mm';

/** Why a date pattern is invalid. */
function findPatternFault([pattern]: readonly string[]): string | undefined {
  const unknown = [...(pattern ?? '').matchAll(PATTERN_PARTS)].find(
    ([part]) => !Object.hasOwn(DATE_PARTS, part),
  );
  return (
    unknown && `"${unknown[0]}" is not a part of a date; these are: ${Object.keys(DATE_PARTS).join(', ')}`
  );
}

/** Wall time of a day or moment as if it were UTC, in milliseconds. */
export const toWallMs = (
  value: Extract<ReportValue, { kind: 'day' | 'moment' }>,
  { timeZone }: FormatContext,
): number => (value.kind === 'day' ? Date.parse(value.day) : toWallTime(Date.parse(value.at), timeZone));

function formatDate(
  value: Extract<ReportValue, { kind: 'day' | 'moment' }>,
  pattern: string,
  context: FormatContext,
): string {
  const wall = new Date(toWallMs(value, context));
  return pattern.replaceAll(PATTERN_PARTS, (part) => DATE_PARTS[part]?.(wall) ?? part);
}

const NUMBERS: readonly ValueKind[] = ['number', 'money'];

/** All formats; templates cannot define others. */
export const VALUE_FORMATS: readonly ValueFormat[] = [
  {
    name: 'date',
    description:
      'A date with these parts: d, dd, M, MM, MMM, MMMM, yy, yyyy, EEE, EEEE, H, HH, h, hh, mm, ss, a.',
    example: "date:'d MMM yyyy'",
    kinds: ['day', 'moment'],
    minArguments: 1,
    maxArguments: 1,
    findFault: findPatternFault,
    apply: (value, [pattern = ''], context) =>
      mapItems(value, (item) =>
        item.kind === 'day' || item.kind === 'moment' ? toText(formatDate(item, pattern, context)) : item,
      ),
  },
  {
    name: 'number',
    description: 'A number with thousands separators, and with this many decimals.',
    example: 'number:2',
    kinds: NUMBERS,
    minArguments: 0,
    maxArguments: 1,
    findFault: findDecimalsFault,
    apply: (value, [decimals]) =>
      mapItems(value, (item) =>
        item.kind === 'number' || item.kind === 'money'
          ? toText(formatFixed(item.value, decimals, MAX_DECIMALS))
          : item,
      ),
  },
  {
    name: 'money',
    description: 'An amount with two decimals, or with this many, and its currency.',
    example: 'money',
    kinds: NUMBERS,
    minArguments: 0,
    maxArguments: 1,
    findFault: findDecimalsFault,
    apply: (value, [decimals = '2']) =>
      mapItems(value, (item) => {
        if (item.kind !== 'number' && item.kind !== 'money') return item;
        const amount = formatFixed(item.value, decimals, MAX_DECIMALS);
        return toText(item.kind === 'money' ? `${amount} ${item.currency}` : amount);
      }),
  },
  {
    name: 'percent',
    description: 'A share as percentage: 0.125 is 12.5%.',
    example: 'percent:1',
    kinds: ['number'],
    minArguments: 0,
    maxArguments: 1,
    findFault: findDecimalsFault,
    apply: (value, [decimals]) =>
      mapItems(value, (item) =>
        // The style multiplies the decimal digits: 0.285 * 100 is less than 28.5 in binary.
        item.kind === 'number' ? toText(formatFixed(item.value, decimals, 2, 'percent')) : item,
      ),
  },
  {
    name: 'yesno',
    description: 'The first text for Yes, the second for No.',
    example: "yesno:'active','inactive'",
    kinds: ['boolean'],
    minArguments: 2,
    maxArguments: 2,
    apply: (value, [yes = '', no = '']) =>
      mapItems(value, (item) => (item.kind === 'boolean' ? toText(item.value ? yes : no) : item)),
  },
  {
    name: 'upper',
    description: 'Capital letters.',
    example: 'upper',
    minArguments: 0,
    maxArguments: 0,
    apply: (value, _args, context) =>
      mapItems(value, (item) => toText(formatValue(item, context).toUpperCase())),
  },
  {
    name: 'lower',
    description: 'Small letters.',
    example: 'lower',
    minArguments: 0,
    maxArguments: 0,
    apply: (value, _args, context) =>
      mapItems(value, (item) => toText(formatValue(item, context).toLowerCase())),
  },
  {
    name: 'join',
    description: 'Several values with this text between them; by default a comma.',
    example: "join:' / '",
    kinds: ['list'],
    minArguments: 1,
    maxArguments: 1,
    apply: (value, [separator = ''], context) =>
      value?.kind === 'list'
        ? toText(value.items.map((item) => formatValue(item, context)).join(separator))
        : value,
  },
  {
    name: 'default',
    description: 'This text where there is no value.',
    example: "default:'–'",
    minArguments: 1,
    maxArguments: 1,
    apply: (value, [text = '']) => value ?? toText(text),
  },
];

const FORMATS_BY_NAME = new Map(VALUE_FORMATS.map((format) => [format.name, format]));

export const findFormat = (name: string): ValueFormat | undefined => FORMATS_BY_NAME.get(name.toLowerCase());

/** Text of a value without a format. */
export function formatValue(value: ReportValue | undefined, context: FormatContext): string {
  if (!value) return '';
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'number':
      return String(value.value);
    case 'money':
      return `${formatNumber(value.value, 2, MAX_DECIMALS)} ${value.currency}`;
    case 'boolean':
      return value.value ? 'Yes' : 'No';
    case 'day':
      return formatDate(value, DEFAULT_DAY_PATTERN, context);
    case 'moment':
      return formatDate(value, DEFAULT_MOMENT_PATTERN, context);
    case 'picture':
      return value.name;
    case 'list':
      return value.items.map((item) => formatValue(item, context)).join(', ');
    default:
      return '';
  }
}
