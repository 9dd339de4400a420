import { formatExactDate, formatTime, isToday } from '../../lib/dates/dates.ts';
import { formatDuration } from '../../lib/dates/durations.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';

/** Age in milliseconds from which data counts as stale: lists that refresh by themselves do so once a minute. */
export const STALE_AGE_MS = 2 * 60_000;

interface DataAgeState {
  /** Time in milliseconds as of which the data is complete. */
  at: number;
  now: number;
  /** Whether newer data could not be read: the last refresh failed, or the service does not answer. */
  isInterrupted: boolean;
}

/** Formats the time of data, with its age once it is stale: "As of 17:00:12 · 7 min old". */
export function describeDataAge({ at, now, isInterrupted }: DataAgeState): {
  text: string;
  isStale: boolean;
} {
  const age = Math.max(0, now - at);
  const isStale = isInterrupted || age >= STALE_AGE_MS;
  const time = `As of ${isToday(new Date(at), new Date(now)) ? formatTime(at) : formatExactDate(new Date(at))}`;
  return { text: isStale ? `${time} · ${formatDuration(age / 1000)} old` : time, isStale };
}

/** Formats how fast the reads of a page were answered; undefined before the first one. */
export const describeLatency = (latency: { p95: number; reads: number } | undefined): string | undefined =>
  latency &&
  `Latency p95 ${formatNumber(Math.round(latency.p95))} ms, measured by this browser in ${pluralize(latency.reads, 'read', 'reads')} of this page`;
