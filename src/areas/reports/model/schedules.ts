import type { NewReportSchedule, ReportSchedule } from '../../../../contract/generated/types.gen.ts';

/** How often a report is generated; `once` is no schedule. */
export type Repetition = 'once' | ReportSchedule['frequency'];

/** Values of the fields that deliver and repeat a report. */
export interface DeliveryValues {
  recipients: number[];
  repeat: Repetition;
  /** Such as 07:30. */
  time: string;
  weekday: number;
  dayOfMonth: number;
}

export const NO_DELIVERY: DeliveryValues = {
  recipients: [],
  repeat: 'once',
  time: '07:00',
  weekday: 1,
  dayOfMonth: 1,
};

// 1 January 2024 was a Monday.
const formatWeekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** Names of the days of the week; 1 is Monday. */
export const WEEKDAYS: readonly { value: number; label: string }[] = Array.from({ length: 7 }, (_, at) => ({
  value: at + 1,
  label: formatWeekday.format(Date.UTC(2024, 0, at + 1)),
}));

/** The times of a schedule in a request. */
export function toTiming({
  repeat,
  time,
  weekday,
  dayOfMonth,
}: DeliveryValues): Pick<NewReportSchedule, 'frequency' | 'time' | 'weekday' | 'dayOfMonth'> | undefined {
  if (repeat === 'once') return undefined;
  return {
    frequency: repeat,
    time,
    ...(repeat === 'weekly' && { weekday }),
    ...(repeat === 'monthly' && { dayOfMonth }),
  };
}

/** The fields of a schedule. */
export const toDeliveryValues = (schedule: ReportSchedule): DeliveryValues => ({
  recipients: schedule.recipients.map(({ id }) => id),
  repeat: schedule.frequency,
  time: schedule.time,
  weekday: schedule.weekday ?? NO_DELIVERY.weekday,
  dayOfMonth: schedule.dayOfMonth ?? NO_DELIVERY.dayOfMonth,
});

/** The times of a schedule in words: "Mondays at 07:30". */
export function formatTimes({
  frequency,
  time,
  weekday,
  dayOfMonth,
}: Pick<ReportSchedule, 'frequency' | 'time' | 'weekday' | 'dayOfMonth'>): string {
  if (frequency === 'daily') return `Daily at ${time}`;
  if (frequency === 'monthly') return `Monthly on day ${dayOfMonth} at ${time}`;
  const day = WEEKDAYS.find(({ value }) => value === weekday)?.label ?? 'Week';
  return `${day}s at ${time}`;
}

/** People in a cell: the first, and how many others. */
export const formatPeople = (people: readonly { name: string }[]): string => {
  const [first, ...others] = people;
  if (!first) return 'Nobody';
  return others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
};

const conjunction = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Says which recipients of a schedule can no longer receive reports: they are inactive, or lack a capability. */
export const describeRefused = (people: readonly { name: string }[]): string =>
  `${conjunction.format(people.map(({ name }) => name))} can no longer receive reports. Remove them to save the schedule.`;
