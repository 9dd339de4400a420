import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../api/effects.ts';
import { toServiceError } from '../api/errors.ts';
import { forgetUsers } from '../directory/directory.ts';
import { count, counted } from '../lib/numbers.ts';
import { createRun } from '../lib/run.ts';
import { forgetJob, reportJob } from '../shell/jobs.ts';
import type { Job } from '../shell/jobs.ts';
import type { Call } from './calls.ts';
import { filesOf } from './files.ts';
import { dropJob, keepOutcomes } from './keep.ts';
import type { BulkJob } from './keep.ts';
import { createLedger } from './ledger.ts';
import { releaseJob } from './lock.ts';
import type { Outcome } from './outcome.ts';
import { perform } from './perform.ts';
import { OPERATIONS } from './rules.ts';

const AT_ONCE = 4;
// Often enough to be followed, seldom enough not to be felt; what is lost between two is read again.
const SHOW_EVERY = 100;
const KEEP_EVERY = 50;

const ignore = () => undefined;

/**
 * A change of many people as a job in the tray: each call once, some at a time; it can be stopped, continued and
 * discarded. Where the fault is not a person's (no answer, session over, service in trouble) it stops by itself and
 * keeps those people for later. `before`: what came of it until the page was loaded anew.
 */
export function createJob(client: QueryClient, job: BulkJob, before: readonly Outcome[] = []) {
  const ledger = createLedger(job.changes, before);
  const files = filesOf(job, ledger.outcomes);
  const total = job.changes.length;
  let trouble: unknown;
  let stopped = false;
  let shown = 0;
  let unkept: Outcome[] = [];

  async function go(): Promise<void> {
    trouble = undefined;
    stopped = false;
    show('running');
    // Groups are given before others are taken: one part after the other.
    // oxlint-disable-next-line no-await-in-loop
    for (const part of ledger.begin()) if (!stopped) await runPart(part);
    keep();
    await markStale(client, OPERATIONS[job.action.kind]).catch(ignore);
    showEnd();
  }

  async function runPart(part: readonly Call[]): Promise<void> {
    const run = createRun(part, {
      atOnce: AT_ONCE,
      act,
      onStep() {
        if (stopped) run.stop();
        if (performance.now() - shown > SHOW_EVERY) show('running');
      },
    });
    await run.go();
  }

  async function act(call: Call): Promise<void> {
    const narrowed = ledger.narrow(call);
    try {
      const told = narrowed ? await perform(narrowed, job.holder.userId) : [];
      const through = ledger.note(call, told);
      unkept.push(...through);
      if (call.kind === 'remove')
        forgetUsers(
          client,
          through.filter(isDone).map(({ userId }) => userId),
        );
    } catch (thrown) {
      trouble = thrown;
      stopped = true;
      ledger.putBack(call);
    }
    if (unkept.length >= KEEP_EVERY) keep();
  }

  // Where the browser keeps nothing, the job goes on all the same and ends with its page.
  function keep(): void {
    if (unkept.length > 0) void keepOutcomes(job.id, unkept).catch(ignore);
    unkept = [];
  }

  async function forget(): Promise<void> {
    await dropJob(job.id).catch(ignore);
    releaseJob(job.id);
  }

  const actions: Record<Job['state'], () => Job['actions']> = {
    running: () => [{ label: 'Stop', onSelect: () => (stopped = true) }],
    stopped: () => [
      { label: 'Continue', onSelect: () => void go() },
      { label: 'Discard', onSelect: () => void discard() },
      ...files(),
    ],
    done: files,
    failed: files,
  };

  // A reload must not bring back what has left the tray.
  async function discard(): Promise<void> {
    await forget();
    forgetJob(job.id);
  }

  function show(state: Job['state']): void {
    shown = performance.now();
    const through = ledger.outcomes.size;
    reportJob({
      id: job.id,
      title: job.title,
      state,
      progress: through / total,
      result: `${count(through)} of ${count(total)}${tally(ledger.outcomes)}${state === 'stopped' ? why() : ''}`,
      actions: actions[state](),
      onClear: forget,
    });
  }

  const why = () => (trouble === undefined ? '' : `: ${toServiceError(trouble).message}`);

  function showEnd(): void {
    if (ledger.left().length > 0) show('stopped');
    else show([...ledger.outcomes.values()].some(isBad) ? 'failed' : 'done');
  }
  return { go, showEnd };
}

const isDone = ({ result }: Outcome) => result === 'done';
const isBad = ({ result }: Outcome) => result === 'failed' || result === 'conflict';

/** ", 2 failed, 1 changed meanwhile": whatever differs from what was agreed to. */
function tally(outcomes: ReadonlyMap<number, Outcome>): string {
  const all = [...outcomes.values()];
  const of = (wanted: Outcome['result']) => all.filter(({ result }) => result === wanted).length;
  const [failed, conflicts, already] = [of('failed'), of('conflict'), of('already')];
  return [
    failed > 0 ? `, ${count(failed)} failed` : '',
    conflicts > 0 ? `, ${count(conflicts)} changed meanwhile and left alone` : '',
    already > 0 ? `, ${counted(already, 'was', 'were')} so already` : '',
  ].join('');
}
