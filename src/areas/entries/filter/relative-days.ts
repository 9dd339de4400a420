type Reckon = (year: number, month: number, day: number) => number;

const DAYS = new Map<string, Reckon>([
  ['Today', (year, month, day) => Date.UTC(year, month, day)],
  ['Yesterday', (year, month, day) => Date.UTC(year, month, day - 1)],
  ['7 days ago', (year, month, day) => Date.UTC(year, month, day - 7)],
  ['30 days ago', (year, month, day) => Date.UTC(year, month, day - 30)],
  ['First of this month', (year, month) => Date.UTC(year, month, 1)],
  ['First of this year', (year) => Date.UTC(year, 0, 1)],
  ['A year ago', (year, month, day) => Date.UTC(year - 1, month, day)],
  ['In 30 days', (year, month, day) => Date.UTC(year, month, day + 30)],
]);

/** Days that are reckoned from today. The interface knows no such values: a query holds the day itself. */
export const RELATIVE_DAYS: readonly string[] = [...DAYS.keys()];

/** The day that is meant on the day of the reader, such as 2026-03-01; undefined for a name that is none of them. */
export function relativeDay(name: string, now: Date): string | undefined {
  const at = DAYS.get(name)?.(now.getFullYear(), now.getMonth(), now.getDate());
  return at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);
}
