import type { SiteFigures } from '../../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';

/** Values of a figure by day, oldest first and today last; null where the day is not known. */
export type DailyValues = readonly (number | null)[];

/** Days as the axis of a small chart has them, in UTC. */
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const formatDay = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00.000Z`));

/** Values of a figure on each of the days. */
export function pickDailyValues(
  figures: readonly SiteFigures[],
  figure: 'entries' | 'changes' | 'storageBytes',
  days: readonly string[],
): DailyValues {
  const byDay = new Map(figures.map((each) => [each.date, each[figure]]));
  return days.map((day) => byDay.get(day) ?? null);
}

/** Sum of the known values. */
export const sumKnown = (values: DailyValues): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Index of the first known day; -1 without any. */
export const findFirstKnown = (values: DailyValues): number => values.findIndex((value) => value !== null);

/** How a state has changed since the first known day: "↑ 412 in 30 days", "No change since 3 Nov". */
export function describeChange(
  values: DailyValues,
  days: readonly string[],
  format: (value: number) => string = formatNumber,
): string {
  const first = findFirstKnown(values);
  if (first === -1 || first === values.length - 1) return 'Measured since today';
  const period = describePeriod(values, days);
  const difference = (values.at(-1) ?? 0) - (values[first] ?? 0);
  return difference === 0
    ? `No change ${period}`
    : `${difference > 0 ? '↑' : '↓'} ${format(Math.abs(difference))} ${period}`;
}

/** The days that are known, in words: "in 30 days", "since 3 Nov", "today". */
export function describePeriod(values: DailyValues, days: readonly string[]): string {
  const first = findFirstKnown(values);
  if (first === 0) return `in ${days.length} days`;
  return first === -1 || first === days.length - 1 ? 'today' : `since ${formatDay(days[first] ?? '')}`;
}

/** What a small chart shows, for those who do not see it. */
export function describeChart(
  values: DailyValues,
  days: readonly string[],
  format: (value: number) => string,
): string {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  if (first === undefined) return 'nothing measured yet';
  const day = formatDay(days[findFirstKnown(values)] ?? '');
  return known.length === 1
    ? `${format(first)} today`
    : `${format(first)} on ${day}, ${format(known.at(-1) ?? 0)} today, lowest ${format(Math.min(...known))}, highest ${format(Math.max(...known))}`;
}
