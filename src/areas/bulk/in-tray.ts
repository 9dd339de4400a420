import { toServiceError } from '../../api/errors.ts';
import { count, counted } from '../../lib/numbers.ts';
import { forgetJob, reportJob } from '../../app/jobs/jobs.ts';
import type { Job } from '../../app/jobs/jobs.ts';
import { releaseJob } from '../../app/jobs/lock.ts';
import type { Result } from './outcome.ts';

// Often enough to be followed, seldom enough not to be felt.
const SHOW_EVERY = 100;

const ignore = () => undefined;

interface InTray {
  id: string;
  title: string;
  /** How many it is about. */
  total: number;
  /** What came of them so far. */
  outcomes: ReadonlyMap<number, { result: Result }>;
  /** What can be saved of it. */
  files: () => NonNullable<Job['actions']>;
  /** Forgets what is kept of it. */
  drop: (id: string) => Promise<void>;
  stop: () => void;
  goOn: () => void;
}

/** A change of many in the tray: how far it is, and the buttons that fit its state. */
export function inTray({ id, title, total, outcomes, files, drop, stop, goOn }: InTray) {
  let shown = 0;

  async function forget(): Promise<void> {
    await drop(id).catch(ignore);
    releaseJob(id);
  }

  // A reload must not bring back what has left the tray.
  async function discard(): Promise<void> {
    await forget();
    forgetJob(id);
  }

  const actions: Record<Job['state'], () => Job['actions']> = {
    running: () => [{ label: 'Stop', onSelect: stop }],
    stopped: () => [
      { label: 'Continue', onSelect: goOn },
      { label: 'Discard', onSelect: () => void discard() },
      ...files(),
    ],
    done: files,
    failed: files,
  };

  function show(state: Job['state'], trouble?: unknown): void {
    shown = performance.now();
    const why = state === 'stopped' && trouble !== undefined ? `: ${toServiceError(trouble).message}` : '';
    reportJob({
      id,
      title,
      state,
      progress: outcomes.size / total,
      result: `${count(outcomes.size)} of ${count(total)}${tally(outcomes)}${why}`,
      actions: actions[state](),
      onClear: forget,
    });
  }

  return {
    show,
    /** Shows how far it is, where that was not done just now. */
    step(): void {
      if (performance.now() - shown > SHOW_EVERY) show('running');
    },
    /** Shows what came of it; `left`: how many are still to be done. */
    showEnd(left: number, trouble?: unknown): void {
      if (left > 0) show('stopped', trouble);
      else show([...outcomes.values()].some(isBad) ? 'failed' : 'done');
    },
  };
}

const isBad = ({ result }: { result: Result }) => result === 'failed' || result === 'conflict';

/** ", 2 failed, 1 changed meanwhile": whatever differs from what was agreed to. */
function tally(outcomes: InTray['outcomes']): string {
  const counts: Record<Result, number> = { done: 0, already: 0, conflict: 0, failed: 0 };
  for (const { result } of outcomes.values()) counts[result] += 1;
  return [
    counts.failed > 0 ? `, ${count(counts.failed)} failed` : '',
    counts.conflict > 0 ? `, ${count(counts.conflict)} changed meanwhile and left alone` : '',
    counts.already > 0 ? `, ${counted(counts.already, 'was', 'were')} so already` : '',
  ].join('');
}
