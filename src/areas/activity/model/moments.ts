const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const period = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A moment as rows show it: the time of day, with its day unless that is today. */
export function rowMoment(at: string, now = new Date()): string {
  const moment = new Date(at);
  return (moment.toDateString() === now.toDateString() ? clock : short).format(moment);
}

/** A period between two moments: "20 Nov, 08:00 – 21 Nov, 09:30". */
export const periodWords = (from: number, to: number): string => period.formatRange(from, to);

/** The day of a moment. */
export const dayOf = (at: number): string => day.format(at);
