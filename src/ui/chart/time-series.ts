/** A series of values, one per step. */
export interface TimeSeries {
  label: string;
  values: readonly number[];
  /** Index in the color ramp of chart.css. */
  tone: 1 | 2 | 3 | 4 | 5 | 6;
}

/** Stacks series, the first at the bottom; returns the upper edge of each. */
export function stackSeries(series: readonly TimeSeries[]): number[][] {
  const tops: number[][] = [];
  for (const { values } of series) {
    const below = tops.at(-1);
    tops.push(values.map((value, at) => value + (below?.[at] ?? 0)));
  }
  return tops;
}

/** Sums the first `of` series at an index. */
export const sumSeriesAt = (series: readonly TimeSeries[], of: number, at: number): number =>
  series.slice(0, of).reduce((total, { values }) => total + (values[at] ?? 0), 0);

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Converts a day ("2026-11-21") or a timestamp to Unix seconds, the unit of the plot's axis. */
export const toUnixSeconds = (step: string): number => Date.parse(step) / 1000;

/** Subtracts days from a day. */
export const subtractDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);

// Days are in UTC in every time zone.
const dayFormat = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const hourFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Whether a step is a day in UTC rather than an hour or less. */
export const isDay = (step: string): boolean => step.length === 10;

/** Returns the duration of a step in seconds: the distance of the first two, or an hour or day for a single one. */
export function getStepSeconds(steps: readonly string[]): number {
  const [first, second] = steps;
  if (first !== undefined && second !== undefined) return toUnixSeconds(second) - toUnixSeconds(first);
  return (steps.every(isDay) ? DAY_MS : HOUR_MS) / 1000;
}

/** Names a step in a label: day, hour, or time for any other duration. */
export const getStepName = (steps: readonly string[]): 'Day' | 'Hour' | 'Time' => {
  if (steps.every(isDay)) return 'Day';
  return getStepSeconds(steps) === HOUR_MS / 1000 ? 'Hour' : 'Time';
};

/** Formats a step: a day, or the start of a shorter one in local time. */
export const formatStep = (step: string): string =>
  (isDay(step) ? dayFormat : hourFormat).format(new Date(step));
