import 'fake-indexeddb/auto';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dropSession, gate, leaveEnded, leftElsewhere, sessionArrived } from '../../../api/session-gate.ts';
import { dropBulkJobs } from '../../bulk/drop.ts';
import { createShelf } from '../../../app/jobs/shelf.ts';
import { toastStore } from '../../../ui/feedback/toast.ts';
import { fieldsQuery, typesQuery } from '../model/schema.ts';
import { NO_CHANGES, stage, undo } from './changes.ts';
import { keepStaged, writeStaged } from './kept.ts';
import { changesOf, decidedOf, discardOf, sendingOf, stageCells, undoStep } from './store.ts';

const ME = { userId: 7, siteId: 1 };
const client = new QueryClient();
client.setQueryData(fieldsQuery.queryKey, []);
client.setQueryData(
  typesQuery.queryKey,
  [71, 72, 73].map((id) => ({
    id,
    apiName: 'T',
    singularName: 'T',
    pluralName: 'Ts',
    name: 'T',
    entryListId: -5,
  })),
);
interface Kept {
  id: string;
  format: number;
  holder: typeof ME;
  typeId: number;
  changes: unknown;
}
const shelf = createShelf<Kept, never>('staged');
const cell = (value: string) => ({ entryId: 5, entryName: 'Five', fieldId: 2, before: 'a', value });
const keptOf = async (typeId: number) => (await shelf.jobs(ME)).filter((one) => one.typeId === typeId);

// Files of tests share a page.
beforeEach(() => toastStore.set([]));
afterEach(async () => {
  dropSession();
  await dropBulkJobs();
});

it('brings back what was staged with its steps, and what somebody else staged to nobody', async () => {
  const changes = stage(stage(NO_CHANGES, [cell('b')], 'Edit'), [cell('c')], 'Edit');
  const format = 2;
  await shelf.put({ id: 'mine', format, holder: ME, typeId: 71, changes }, []);
  await shelf.put({ id: 'elsewhere', format, holder: { ...ME, siteId: 2 }, typeId: 72, changes }, []);
  // A list that is no more cannot be opened, and another version may mean something else: both are let go, and told.
  await shelf.put({ id: 'gone', format, holder: ME, typeId: 99, changes }, []);
  await shelf.put({ id: 'old', format: 1, holder: ME, typeId: 73, changes }, []);
  sessionArrived(ME);
  await keepStaged(ME, client);
  expect(changesOf(71)).toEqual(changes);
  for (const typeId of [72, 73, 99]) expect(changesOf(typeId)).toBe(NO_CHANGES);
  expect(await Promise.all([99, 73].map(keptOf))).toEqual([[], []]);
  expect(toastStore.get().map(({ title }) => title)).toEqual([
    'What was not saved is staged again',
    'Some of what was staged could not be brought back',
  ]);
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

  // What was sent is kept with the doubt, before an answer is there.
  const doubt = { at: 5, part: 'values', made: [-1] } as const;
  sendingOf(73, doubt);
  await writeStaged();
  expect(await keptOf(73)).toMatchObject([{ changes: { doubt } }]);
  decidedOf(73);

  // After a sign-out nothing more is written, nor after one in another tab, also where the page stays.
  leftElsewhere();
  leaveEnded();
  await dropBulkJobs();
  stageCells(73, [cell('g')], 'Edit');
  await writeStaged();
  expect(await keptOf(73)).toEqual([]);
  sessionArrived(ME);
  await writeStaged();
  expect(await keptOf(73)).toMatchObject([{ changes: changesOf(73) }]);
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
