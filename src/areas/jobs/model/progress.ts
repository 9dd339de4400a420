import type { Job } from '../../../../contract/generated/types.gen.ts';
import { createStore } from '../../../ui/store.ts';

/** Whether a job has ended; a paused one has not. */
export const hasEnded = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'finished' || state === 'cancelled' || state === 'stopped';

/** A job that starts later is not watched until then. */
const WATCHED_BEFORE_START_MS = 60_000;

/** Whether progress is to be expected: a paused job waits for its owner, a scheduled one for its time. */
export const isActive = ({ state, notBefore }: Pick<Job, 'state' | 'notBefore'>, now = Date.now()): boolean =>
  state === 'running' ||
  (state === 'waiting' && (notBefore === null || Date.parse(notBefore) - now < WATCHED_BEFORE_START_MS));

/** Progress of a job at a time. */
interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  processed: number;
}

/** A rate describes the latest progress: a job may have been paused, or given way to others. */
const RATE_WINDOW_MS = 20_000;
const MIN_RATE_WINDOW_MS = 2_000;

/** Recent progress of the jobs that this page has seen running. */
export const progressSamples = createStore<ReadonlyMap<number, readonly Sample[]>>(new Map());

/** Whether nothing has been done and nothing runs: the job waits for its items, its time or its turn. */
export const isPending = (job: Job): boolean =>
  job.state === 'uploading' || (job.state === 'waiting' && getProcessed(job) === 0);

/** Number of items with an outcome. */
export const getProcessed = ({
  done,
  unchanged,
  conflicts,
  failed,
}: Pick<Job, 'done' | 'unchanged' | 'conflicts' | 'failed'>): number => done + unchanged + conflicts + failed;

/** Share of the items with an outcome, 0 to 1. */
export const getProgress = (jobs: readonly Job[]): number => {
  const total = jobs.reduce((sum, job) => sum + job.total, 0);
  return total === 0 ? 0 : jobs.reduce((sum, job) => sum + getProcessed(job), 0) / total;
};

/** Adds the progress of jobs that were just read. */
export function recordProgress(jobs: readonly Job[], at = Date.now()): void {
  const before = progressSamples.get();
  const running = jobs.filter(({ state }) => state === 'running');
  const isForgotten = (id: number) => jobs.some((job) => job.id === id && job.state !== 'running');
  if (running.length === 0 && !jobs.some(({ id }) => before.has(id))) return;
  const next = new Map([...before].filter(([id]) => !isForgotten(id)));
  for (const job of running) {
    const recent = (next.get(job.id) ?? []).filter((sample) => at - sample.at <= RATE_WINDOW_MS);
    next.set(job.id, [...recent, { at, processed: getProcessed(job) }]);
  }
  progressSamples.set(next);
}

/**
 * Items per second: of an ended job over its whole time, of a running one over the last seconds. Undefined while unknown.
 * @param samples recent progress, oldest first
 */
export function getRate(job: Job, samples: readonly Sample[] = []): number | undefined {
  if (hasEnded(job)) {
    const seconds = getSeconds(job);
    return seconds === undefined || seconds < 1 ? undefined : getProcessed(job) / seconds;
  }
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (job.state !== 'running' || !first || !last || last.at - first.at < MIN_RATE_WINDOW_MS) return undefined;
  const rate = ((last.processed - first.processed) / (last.at - first.at)) * 1000;
  return rate > 0 ? rate : undefined;
}

/** Seconds from the first item to the end; undefined for a job that never ran or has not ended. */
export const getSeconds = ({ startedDate, finishedDate }: Job): number | undefined =>
  startedDate === null || finishedDate === null
    ? undefined
    : (Date.parse(finishedDate) - Date.parse(startedDate)) / 1000;

/** When a running job will have ended at its present rate. */
export const getExpectedEnd = (job: Job, rate: number, now = Date.now()): Date =>
  new Date(now + ((job.total - getProcessed(job)) / rate) * 1000);
