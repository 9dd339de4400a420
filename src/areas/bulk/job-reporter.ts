import { toServiceError } from '../../api/errors.ts';
import { unlockJob } from '../../app/jobs/job-store.ts';
import { removeJob, upsertJob } from '../../app/jobs/jobs.ts';
import type { Job } from '../../app/jobs/jobs.ts';
import { formatNumber } from '../../lib/numbers.ts';

/** Result of one item; `already`: it was in the target state before. */
type Result = 'done' | 'already' | 'conflict' | 'failed';

// Frequent enough to follow, rare enough not to slow down the page.
const REPORT_INTERVAL_MS = 100;

const ignoreError = () => undefined;

interface JobReporterOptions {
  id: string;
  title: string;
  /** Number of items. */
  total: number;
  /** Outcomes so far, by item id. */
  outcomes: ReadonlyMap<number, { result: Result }>;
  /** Actions for the results: report, undo. */
  getActions: () => NonNullable<Job['actions']>;
  /** Deletes what is stored of the job. */
  deleteStored: (id: string) => Promise<void>;
  stop: () => void;
  resume: () => void;
}

/** Reports the state of a bulk job to the job center, with the actions that fit the state. */
export function createJobReporter({
  id,
  title,
  total,
  outcomes,
  getActions,
  deleteStored,
  stop,
  resume,
}: JobReporterOptions) {
  let lastReportAt = 0;

  async function deleteAndRelease(): Promise<void> {
    await deleteStored(id).catch(ignoreError);
    unlockJob(id);
  }

  // A reload must not restore a job that was discarded.
  async function discard(): Promise<void> {
    await deleteAndRelease();
    removeJob(id);
  }

  const actions: Record<Job['state'], () => Job['actions']> = {
    running: () => [{ label: 'Stop', onSelect: stop }],
    stopped: () => [
      { label: 'Continue', onSelect: resume },
      { label: 'Discard', onSelect: () => void discard() },
      ...getActions(),
    ],
    done: getActions,
    failed: getActions,
  };

  function report(state: Job['state'], error?: unknown): void {
    lastReportAt = performance.now();
    const why = state === 'stopped' && error !== undefined ? `: ${toServiceError(error).message}` : '';
    upsertJob({
      id,
      title,
      state,
      progress: outcomes.size / total,
      result: `${formatNumber(outcomes.size)} of ${formatNumber(total)}${formatTally(outcomes)}${why}`,
      actions: actions[state](),
      onClear: deleteAndRelease,
    });
  }

  return {
    report,
    /** Reports progress, at most once per interval. */
    reportProgress(): void {
      if (performance.now() - lastReportAt > REPORT_INTERVAL_MS) report('running');
    },
    /** Reports the end. @param left number of items not processed yet */
    reportEnd(left: number, error?: unknown): void {
      if (left > 0) report('stopped', error);
      else report([...outcomes.values()].some(isBad) ? 'failed' : 'done');
    },
  };
}

const isBad = ({ result }: { result: Result }) => result === 'failed' || result === 'conflict';

/** Formats outcomes other than done: ", 2 failed, 1 skipped (changed in the meantime)". */
function formatTally(outcomes: JobReporterOptions['outcomes']): string {
  const counts: Record<Result, number> = { done: 0, already: 0, conflict: 0, failed: 0 };
  for (const { result } of outcomes.values()) counts[result] += 1;
  return [
    counts.failed > 0 ? `, ${formatNumber(counts.failed)} failed` : '',
    counts.conflict > 0 ? `, ${formatNumber(counts.conflict)} skipped (changed in the meantime)` : '',
    counts.already > 0 ? `, ${formatNumber(counts.already)} already set` : '',
  ].join('');
}
