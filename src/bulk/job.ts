import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../api/effects.ts';
import { forgetUsers } from '../directory/directory.ts';
import { createRun } from '../lib/run.ts';
import type { Call } from './calls.ts';
import { filesOf } from './files.ts';
import { inTray } from './in-tray.ts';
import { dropJob, keepOutcomes } from './keep.ts';
import type { BulkJob } from './keep.ts';
import { createLedger } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import { perform } from './perform.ts';
import { OPERATIONS } from './rules.ts';

const AT_ONCE = 4;
// What is lost between two is read again.
const KEEP_EVERY = 50;

const ignore = () => undefined;

/**
 * A change of many people as a job in the tray: each call once, some at a time; it can be stopped, continued and
 * discarded. Where the fault is not a person's (no answer, session over, service in trouble) it stops by itself and
 * keeps those people for later. `before`: what came of it until the page was loaded anew.
 */
export function createJob(client: QueryClient, job: BulkJob, before: readonly Outcome[] = []) {
  const ledger = createLedger(job.changes, before);
  const tray = inTray({
    id: job.id,
    title: job.title,
    total: job.changes.length,
    outcomes: ledger.outcomes,
    files: filesOf(job, ledger.outcomes),
    drop: dropJob,
    stop: () => (stopped = true),
    goOn: () => void go(),
  });
  let trouble: unknown;
  let stopped = false;
  let unkept: Outcome[] = [];

  async function go(): Promise<void> {
    trouble = undefined;
    stopped = false;
    tray.show('running');
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
        tray.step();
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

  const showEnd = () => tray.showEnd(ledger.left().length, trouble);
  return { go, showEnd };
}

const isDone = ({ result }: Outcome) => result === 'done';
