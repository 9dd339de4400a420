import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../../api/effects.ts';
import { chunks } from '../../bulk/calls.ts';
import { inTray } from '../../bulk/in-tray.ts';
import { createRun } from '../../../lib/run.ts';
import type { Schema } from '../model/schema.ts';
import { filesOf } from './files.ts';
import { dropEntryJob, keepEntryOutcomes } from './keep.ts';
import type { EntryJob } from './keep.ts';
import { perform } from './perform.ts';
import type { Outcome } from './perform.ts';
import type { EntryChange } from './plan.ts';

const AT_ONCE = 2;
const PIECE = 200;

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
  const tray = inTray({
    id: job.id,
    title: job.title,
    total: job.changes.length,
    outcomes,
    files: filesOf(job, outcomes),
    drop: dropEntryJob,
    stop: () => (stopped = true),
    goOn: () => void go(),
  });
  // After a reload nobody can tell what was stored by a request whose answer was lost.
  const unsure = new Set(before && job.changes.map(({ entryId }) => entryId));
  let trouble: unknown;
  let stopped = false;

  const left = () => job.changes.filter(({ entryId }) => !outcomes.has(entryId));

  async function go(): Promise<void> {
    trouble = undefined;
    stopped = false;
    tray.show('running');
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
          tray.step();
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

  const showEnd = () => tray.showEnd(left().length, trouble);
  return { go, showEnd };
}
