/** One kind of what is counted, day by day. */
export interface TimeSeries {
  label: string;
  values: readonly number[];
  /** Its place in the ramp of chart.css. */
  tone: 1 | 2 | 3 | 4;
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

/** A day of the contract ("2026-11-21") in seconds, as the plot's axis counts. */
export const secondsOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

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

/** A day as people write it. */
export const dayName = (day: string): string => named.format(new Date(`${day}T00:00:00Z`));
