/** Whether a date-time begins with a day of the calendar; Date.parse takes the 31st of November for the 1st of December. */
export function beginsWithDay(text: string): boolean {
  const day = text.slice(0, 10);
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}
