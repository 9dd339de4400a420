/** When a schedule generates its reports. */

export interface ScheduleTimes {
  frequency: 'daily' | 'weekly' | 'monthly';
  /** Minute of the day in the time zone of the site. */
  minute: number;
  /** Day of the week (1 is Monday) or of the month; null for every day. */
  day: number | null;
}

/**
 * The first moment of a schedule after `after`. A time that the clock skips is moved forward by the length of the gap, of a repeated time
 * the first one counts; in a month without the day its last one counts.
 */
export function getNextTime(after: Date, { frequency, minute, day }: ScheduleTimes, timeZone: string): Date {
  const today = Temporal.Instant.fromEpochMilliseconds(after.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const plainTime = new Temporal.PlainTime(Math.floor(minute / 60), minute % 60);
  for (let step = 0; ; step += 1) {
    const date = getDate(today, { frequency, day: day ?? 1 }, step);
    const time = date.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
    if (time > after.getTime()) return new Date(time);
  }
}

/** The day of the schedule in the day, week or month that follows that of `today` by `step`. */
function getDate(
  today: Temporal.PlainDate,
  { frequency, day }: { frequency: ScheduleTimes['frequency']; day: number },
  step: number,
): Temporal.PlainDate {
  if (frequency === 'daily') return today.add({ days: step });
  if (frequency === 'weekly') return today.add({ days: day - today.dayOfWeek + 7 * step });
  // Constrained to the last day of the month.
  return today.with({ day: 1 }).add({ months: step }).with({ day });
}

/** Minute of the day of a time such as 07:30. */
export const parseTimeOfDay = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
};

/** A minute of the day as 07:30. */
export const formatTimeOfDay = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
