import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../api/effects.ts';
import { toServiceError } from '../../api/errors.ts';
import { chunks } from '../../bulk/calls.ts';
import { releaseJob } from '../../bulk/lock.ts';
import { count, counted } from '../../lib/numbers.ts';
import { createRun } from '../../lib/run.ts';
import { forgetJob, reportJob } from '../../shell/jobs.ts';
import type { Job } from '../../shell/jobs.ts';
import type { Schema } from '../schema.ts';
import { filesOf } from './files.ts';
import { dropEntryJob, keepEntryOutcomes } from './keep.ts';
import type { EntryJob } from './keep.ts';
import { perform } from './perform.ts';
import type { Outcome } from './perform.ts';
import type { EntryChange } from './plan.ts';

const AT_ONCE = 2;
const PIECE = 200;
// Often enough to be followed, seldom enough not to be felt.
const SHOW_EVERY = 100;

const ignore = () => undefined;

/**
 * A change of many entries as a job in the tray, a piece at a time; it can be stopped, continued and discarded. Where
 * the fault is nobody's it stops by itself. `before`: what came of it until the page was loaded anew.
 */
export function createEntryJob(
  client: QueryClient,
  job: EntryJob,
  readSchema: () => Promise<Schema>,
  before?: readonly Outcome[],
) {
  const outcomes = new Map(before?.map((outcome) => [outcome.entryId, outcome]));
  const files = filesOf(job, outcomes);
  const total = job.changes.length;
  // After a reload nobody can tell what was stored by a request whose answer was lost.
  const unsure = new Set(before && job.changes.map(({ entryId }) => entryId));
  let trouble: unknown;
  let stopped = false;
  let shown = 0;

  const left = () => job.changes.filter(({ entryId }) => !outcomes.has(entryId));

  async function go(): Promise<void> {
    trouble = undefined;
    stopped = false;
    show('running');
    try {
      const fields = (await readSchema()).fieldsOf(job.typeId);
      const run = createRun(chunks(left(), PIECE), {
        atOnce: AT_ONCE,
        act: async (piece) => {
          const mayBeStored = piece.some(({ entryId }) => unsure.has(entryId));
          await act(piece, { typeId: job.typeId, fields, unsure: mayBeStored });
        },
        onStep() {
          if (stopped) run.stop();
          if (performance.now() - shown > SHOW_EVERY) show('running');
        },
      });
      await run.go();
    } catch (thrown) {
      trouble = thrown;
    }
    await markStale(client, 'updateEntries').catch(ignore);
    showEnd();
  }

  async function act(piece: readonly EntryChange[], target: Parameters<typeof perform>[1]): Promise<void> {
    try {
      const told = await perform(piece, target);
      for (const outcome of told) outcomes.set(outcome.entryId, outcome);
      // Where the browser keeps nothing, the job goes on all the same and ends with its page.
      await keepEntryOutcomes(job.id, told).catch(ignore);
    } catch (thrown) {
      for (const { entryId } of piece) unsure.add(entryId);
      trouble = thrown;
      stopped = true;
    }
  }

  async function forget(): Promise<void> {
    await dropEntryJob(job.id).catch(ignore);
    releaseJob(job.id);
  }

  async function discard(): Promise<void> {
    await forget();
    forgetJob(job.id);
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

  function show(state: Job['state']): void {
    shown = performance.now();
    const why = state === 'stopped' && trouble !== undefined ? `: ${toServiceError(trouble).message}` : '';
    reportJob({
      id: job.id,
      title: job.title,
      state,
      progress: outcomes.size / total,
      result: `${count(outcomes.size)} of ${count(total)}${tally(outcomes)}${why}`,
      actions: actions[state](),
      onClear: forget,
    });
  }

  function showEnd(): void {
    if (left().length > 0) show('stopped');
    else show([...outcomes.values()].some(isBad) ? 'failed' : 'done');
  }
  return { go, showEnd };
}

const isBad = ({ result }: Outcome) => result === 'failed' || result === 'conflict';

/** ", 2 failed, 1 changed meanwhile": whatever differs from what was agreed to. */
function tally(outcomes: ReadonlyMap<number, Outcome>): string {
  const counts = { done: 0, already: 0, conflict: 0, failed: 0 };
  for (const { result } of outcomes.values()) counts[result] += 1;
  return [
    counts.failed > 0 ? `, ${count(counts.failed)} failed` : '',
    counts.conflict > 0 ? `, ${count(counts.conflict)} changed meanwhile and left alone` : '',
    counts.already > 0 ? `, ${counted(counts.already, 'was', 'were')} so already` : '',
  ].join('');
}
