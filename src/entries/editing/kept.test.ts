import 'fake-indexeddb/auto';
import { afterEach, expect, it } from 'vitest';
import { dropSession, gate, sessionArrived } from '../../api/session-gate.ts';
import { dropBulkJobs } from '../../bulk/drop.ts';
import { createShelf } from '../../bulk/shelf.ts';
import { NO_CHANGES, stage, undo } from './changes.ts';
import { keepStaged, writeStaged } from './kept.ts';
import { changesOf, discardOf, stageCells, undoStep } from './store.ts';

const ME = { userId: 7, siteId: 1 };
const shelf = createShelf<{ id: string; holder: typeof ME; typeId: number; changes: unknown }, never>(
  'staged',
);
const cell = (value: string) => ({ entryId: 5, entryName: 'Five', fieldId: 2, before: 'a', value });
const keptOf = async (typeId: number) => (await shelf.jobs(ME)).filter((one) => one.typeId === typeId);

afterEach(async () => {
  dropSession();
  await dropBulkJobs();
});

it('brings back what was staged with its steps, and what somebody else staged to nobody', async () => {
  const changes = stage(stage(NO_CHANGES, [cell('b')], 'Edit'), [cell('c')], 'Edit');
  await shelf.put({ id: 'mine', holder: ME, typeId: 71, changes }, []);
  await shelf.put({ id: 'acting', holder: { ...ME, siteId: 2 }, typeId: 72, changes }, []);
  sessionArrived(ME);
  await keepStaged(ME);
  expect(changesOf(71)).toEqual(changes);
  expect(changesOf(72)).toBe(NO_CHANGES);
  undoStep(71);
  expect(changesOf(71)).toEqual(undo(changes));
  await writeStaged();
  expect(await keptOf(71)).toMatchObject([{ id: 'mine', changes: undo(changes) }]);

  // What was saved or let go does not come back.
  discardOf(71, 'Discard');
  stageCells(73, [cell('d')], 'Edit');
  await writeStaged();
  expect(await keptOf(71)).toEqual([]);
  expect(await keptOf(73)).toMatchObject([{ changes: changesOf(73) }]);

  // After a sign-out nothing more is written.
  gate.set('ended');
  stageCells(73, [cell('e')], 'Edit');
  await writeStaged();
  expect(await keptOf(73)).not.toMatchObject([{ changes: changesOf(73) }]);
  gate.set('open');
  dropSession();
  await dropBulkJobs();
  stageCells(73, [cell('f')], 'Edit');
  await writeStaged();
  expect(await keptOf(73)).toEqual([]);
  discardOf(73, 'Discard');
});
