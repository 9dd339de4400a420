/** Days that every month has. */
const COMMON_DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])/;

/** Whether a date or date-time starts with an existing day; Date.parse accepts November 31 as December 1. */
export function startsWithCalendarDay(text: string): boolean {
  // Imports have hundreds of thousands of dates; constructing each takes longer than all other checks of it.
  if (COMMON_DAY.test(text)) return true;
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
