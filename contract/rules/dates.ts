/** Whether a date or date-time starts with an existing day; Date.parse accepts November 31 as December 1. */
export function startsWithCalendarDay(text: string): boolean {
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
