import type { Job, JobItemState, JobState } from '../../../../contract/generated/types.gen.ts';
import { formatMoment, formatShortDate, isToday } from '../../../lib/dates/dates.ts';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { JOB_KINDS } from './job-kinds.ts';
import { getExpectedEnd, getProcessed, getSeconds, hasEnded } from './progress.ts';

export const STATE_LABELS: Record<JobState, { label: string; tone: Tone }> = {
  uploading: { label: 'Uploading', tone: 'neutral' },
  waiting: { label: 'Waiting', tone: 'neutral' },
  running: { label: 'Running', tone: 'accent' },
  paused: { label: 'Paused', tone: 'warn' },
  finished: { label: 'Finished', tone: 'ok' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
  stopped: { label: 'Stopped', tone: 'bad' },
};

const OUTCOME_LABELS: Record<JobItemState, { label: string; tone: Tone }> = {
  done: { label: 'Changed', tone: 'ok' },
  unchanged: { label: 'Unchanged', tone: 'neutral' },
  conflict: { label: 'Skipped', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
  open: { label: 'Not yet', tone: 'neutral' },
};

/** Outcome of the items of a job in a state as text and tone: a job that has ended attempts no more items. */
export const getOutcome = (job: Pick<Job, 'state'>, state: JobItemState): { label: string; tone: Tone } =>
  state === 'open' && hasEnded(job) ? { label: 'Not attempted', tone: 'neutral' } : OUTCOME_LABELS[state];

/** What the done items of a job are: "changed". */
export const getDoneLabel = ({ kind }: Pick<Job, 'kind'>): string => JOB_KINDS[kind].done ?? 'changed';

/** Whether a job waits for its time. */
const isScheduled = ({ state, notBefore }: Pick<Job, 'state' | 'notBefore'>, now: number): boolean =>
  state === 'waiting' && notBefore !== null && Date.parse(notBefore) > now;

/** State of a job as text and tone: a finished job with failed items is a warning. */
export function describeState(
  job: Pick<Job, 'state' | 'failed' | 'notBefore'>,
  now = Date.now(),
): { label: string; tone: Tone } {
  const { label, tone } = STATE_LABELS[job.state];
  if (isScheduled(job, now)) return { label: 'Scheduled', tone };
  if (job.failed === 0) return { label, tone };
  return {
    label: `${label}, ${formatNumber(job.failed)} failed`,
    tone: job.state === 'finished' ? 'warn' : tone,
  };
}

/** First words of titles with those that report what was done. */
const DONE_VERBS: Readonly<Record<string, string>> = {
  Activate: 'Activated',
  Add: 'Added',
  Change: 'Changed',
  Deactivate: 'Deactivated',
  Remove: 'Removed',
  Set: 'Set',
  Turn: 'Turned',
};

/** Sentence that says what a job of one item has done: "Deactivated 1 person". */
function formatSingleEnd({ title, done, unchanged }: Job): string | undefined {
  if (unchanged > 0) return `${title}: nothing to change`;
  const [verb = ''] = title.split(' ', 1);
  const doneVerb = DONE_VERBS[verb];
  return done > 0 && doneVerb !== undefined ? doneVerb + title.slice(verb.length) : undefined;
}

/** Sentence that says how a job ended: "Deactivate 5 people: finished, 2 failed", "Deactivated 1 person". */
export function formatEnd(job: Job): string {
  const { title, state, failed, conflicts, total } = job;
  const single = total === 1 ? formatSingleEnd(job) : undefined;
  if (single !== undefined) return single;
  const parts: string[] = [
    state,
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(conflicts > 0 ? [`${formatNumber(conflicts)} skipped`] : []),
  ];
  return `${title}: ${parts.join(', ')}`;
}

/** Formats a rate: "386 a second", "2.5 a second", "40 a minute". */
export function formatRate(perSecond: number): string {
  if (perSecond < 1) return `${formatNumber(Math.max(1, Math.round(perSecond * 60)))} a minute`;
  return `${formatNumber(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond))} a second`;
}

/** Rate and expected end of a running job: "2 a second · done about 17:04"; undefined while the rate is unknown. */
export function formatForecast(job: Job, rate: number | undefined): string | undefined {
  if (rate === undefined || job.state !== 'running') return undefined;
  return `${formatRate(rate)} · done about ${formatMoment(getExpectedEnd(job, rate))}`;
}

/**
 * What is confirmed and what is assumed about a job: an outcome is stored in the transaction of its change (service/kernel/jobs), the
 * expected end is extrapolated. Undefined for a job whose result is a file.
 */
export function describeCertainty(
  job: Job,
  rate: number | undefined,
): { confirmed: string; assumed?: string } | undefined {
  if (JOB_KINDS[job.kind].done !== undefined) return undefined;
  const processed = getProcessed(job);
  const open = job.total - processed;
  return {
    confirmed:
      processed === 0
        ? 'nothing yet; no item has been changed'
        : `${pluralize(processed, 'outcome', 'outcomes')}, each stored together with its change`,
    ...(!hasEnded(job) &&
      open > 0 && {
        assumed: `${formatNumber(open)} to do as counted at the start${
          formatForecast(job, rate) === undefined
            ? ''
            : ', and the expected end, from the pace of the last seconds'
        }`,
      }),
  };
}

/** Duration of an ended job: "took 3 min"; undefined for a job that never ran. */
export function formatTook(job: Job): string | undefined {
  const seconds = getSeconds(job);
  if (seconds === undefined) return undefined;
  return seconds < 1 ? 'took less than a second' : `took ${formatDuration(seconds)}`;
}

/** Why a job waits: for its items, a rate limit, its time, the job before it, or its turn. */
export function formatWaiting({ state, retryDate, notBefore, afterJobId }: Job, now = new Date()): string {
  if (state === 'uploading') return 'Its items are being uploaded';
  if (retryDate) return `Continues ${formatMoment(retryDate, now)}`;
  if (notBefore !== null && isScheduled({ state, notBefore }, now.getTime()))
    return `Starts ${formatMoment(notBefore, now)}`;
  return afterJobId === null ? 'Queued' : `Starts after job ${formatNumber(afterJobId)}`;
}

/** Whether a job can still be undone. */
export const isUndoable = ({ undoUntil }: Pick<Job, 'undoUntil'>, now = Date.now()): boolean =>
  undoUntil !== null && Date.parse(undoUntil) > now;

/** Formats the time until a moment: "23 hr 52 min left". */
export const formatTimeLeft = (until: string, now = Date.now()): string =>
  `${formatDuration((Date.parse(until) - now) / 1000)} left`;

/** Second line of an ended job: "16:20 · 4,296 changed · 3 min · undo until tomorrow, 16:20". */
export function formatEnded(job: Job): string {
  const seconds = getSeconds(job);
  return [
    ...(job.finishedDate === null
      ? []
      : [isToday(job.finishedDate) ? formatMoment(job.finishedDate) : formatShortDate(job.finishedDate)]),
    ...(job.state === 'finished' ? [] : [STATE_LABELS[job.state].label.toLowerCase()]),
    `${formatNumber(job.done)} ${getDoneLabel(job)}`,
    ...(job.conflicts > 0 ? [`${formatNumber(job.conflicts)} skipped`] : []),
    ...(seconds === undefined || seconds < 1 ? [] : [formatDuration(seconds)]),
    ...(job.inverseJobId === null ? [] : ['undone']),
    ...(isUndoable(job) && job.undoUntil !== null ? [`undo until ${formatMoment(job.undoUntil)}`] : []),
  ].join(' · ');
}
