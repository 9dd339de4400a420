import type { StartOptions } from '../../../app/jobs/upload-items.ts';
import { getBrowserTimeZone, parseDateTimeField } from '../../../lib/dates/time-zones.ts';

/** When a job is to start, as chosen in a dialog. */
export type Schedule =
  | { kind: 'now' }
  /** Value of a date and time field, in the time zone of the browser; may be incomplete. */
  | { kind: 'time'; field: string }
  /** After the job with this number has finished; undefined until one is chosen. */
  | { kind: 'after'; jobId: number | undefined };

export const NOW: Schedule = { kind: 'now' };

/** Why a job cannot be started with this schedule; undefined if it can. */
export function getScheduleProblem(
  schedule: Schedule,
  zone = getBrowserTimeZone(),
  now = Date.now(),
): string | undefined {
  if (schedule.kind === 'after' && schedule.jobId === undefined) return 'Choose a job';
  if (schedule.kind !== 'time') return undefined;
  const at = parseDateTimeField(schedule.field, zone);
  if (at === undefined) return 'Enter a date and time';
  return at <= now ? 'Choose a time in the future' : undefined;
}

/** What a request that starts a job says about its start; nothing for an incomplete schedule. */
export function toStartOptions(schedule: Schedule, zone = getBrowserTimeZone()): StartOptions {
  if (schedule.kind === 'after' && schedule.jobId !== undefined) return { afterJobId: schedule.jobId };
  const at = schedule.kind === 'time' ? parseDateTimeField(schedule.field, zone) : undefined;
  return at === undefined ? {} : { notBefore: new Date(at).toISOString() };
}
