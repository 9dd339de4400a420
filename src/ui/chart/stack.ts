/** One kind of what is counted, step by step. */
export interface TimeSeries {
  label: string;
  values: readonly number[];
  /** Its place in the ramp of chart.css. */
  tone: 1 | 2 | 3 | 4 | 5 | 6;
}

/** Series laid upon one another, the first at the bottom: for each its upper edge. */
export function stacked(series: readonly TimeSeries[]): number[][] {
  const tops: number[][] = [];
  for (const { values } of series) {
    const below = tops.at(-1);
    tops.push(values.map((value, at) => value + (below?.[at] ?? 0)));
  }
  return tops;
}

/** How much the first `of` series make together on a day. */
export const sumOn = (series: readonly TimeSeries[], of: number, at: number): number =>
  series.slice(0, of).reduce((total, { values }) => total + (values[at] ?? 0), 0);

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** A day of the contract ("2026-11-21") or a moment in seconds, as the plot's axis counts. */
export const secondsOf = (step: string): number => Date.parse(step) / 1000;

/** The day that lies so many days before another one. */
export const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY).toISOString().slice(0, 10);

// Days are counted in UTC, and must be named so wherever the reader is.
const named = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const hours = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Whether a step is a whole day of UTC, and not an hour that begins at a moment. */
export const isDay = (step: string): boolean => step.length === 10;

/** How many seconds a step takes. */
export const stepOf = (steps: readonly string[]): number => (steps.every(isDay) ? DAY : HOUR) / 1000;

/** A day as people write it; of an hour when it begins, by the reader's clock. */
export const stepName = (step: string): string => (isDay(step) ? named : hours).format(new Date(step));
