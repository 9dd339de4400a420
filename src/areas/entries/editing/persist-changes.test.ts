import 'fake-indexeddb/auto';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  clearSession,
  sessionState,
  dismissSignIn,
  markSignedOutElsewhere,
  applySessionIdentity,
  replaceSessionIdentity,
} from '../../../api/session-state.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import { createJobStore } from '../../../app/jobs/job-store.ts';
import { deleteStoredJobs } from '../../../app/jobs/jobs.ts';
import { toastStore } from '../../../ui/toast.ts';
import { fieldsQuery, typesQuery } from '../model/schema.ts';
import {
  getChangeSet,
  resolveUnconfirmed,
  discardChanges,
  markSending,
  stageCells,
  undoStep,
} from './change-set-store.ts';
import { EMPTY_CHANGE_SET, hasStagedChanges, stage, undo } from './change-set.ts';
import { startPersistence, persistChanges } from './persist-changes.ts';

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
interface StoredRecord {
  id: string;
  format: number;
  identity: SessionIdentity;
  typeId: number;
  changes: unknown;
}
const recordStore = createJobStore<StoredRecord, never>('staged', { whileActing: true });
const cell = (value: string) => ({ entryId: 5, entryName: 'Five', fieldId: 2, before: 'a', value });
const loadRecords = async (typeId: number) =>
  (await recordStore.loadJobs(ME)).filter((record) => record.typeId === typeId);

// Test files share the module state.
beforeEach(() => toastStore.set([]));
afterEach(async () => {
  clearSession();
  await deleteStoredJobs();
  for (const typeId of [71, 72, 73]) discardChanges(typeId, 'Discard');
});

it('restores change sets with undo steps, only for their user and site', async () => {
  const changes = stage(stage(EMPTY_CHANGE_SET, [cell('b')], 'Edit'), [cell('c')], 'Edit');
  const format = 3;
  await recordStore.save({ id: 'mine', format, identity: ME, typeId: 71, changes }, []);
  await recordStore.save(
    { id: 'elsewhere', format, identity: { ...ME, siteId: 2 }, typeId: 72, changes },
    [],
  );
  // Records of deleted types and of other format versions are dropped with a notice.
  await recordStore.save({ id: 'gone', format, identity: ME, typeId: 99, changes }, []);
  await recordStore.save({ id: 'old', format: 1, identity: ME, typeId: 73, changes }, []);
  applySessionIdentity(ME);
  await startPersistence(ME, client);
  expect(getChangeSet(71)).toEqual(changes);
  for (const typeId of [72, 73, 99]) expect(getChangeSet(typeId)).toBe(EMPTY_CHANGE_SET);
  expect(await Promise.all([99, 73].map(loadRecords))).toEqual([[], []]);
  expect(toastStore.get().map(({ title }) => title)).toEqual([
    'Unsaved changes were restored',
    'Some unsaved changes could not be restored',
  ]);
  undoStep(71);
  expect(getChangeSet(71)).toEqual(undo(changes));
  await persistChanges();
  expect(await loadRecords(71)).toMatchObject([{ id: 'mine', changes: undo(changes) }]);

  // Saved and discarded changes are not restored.
  discardChanges(71, 'Discard');
  stageCells(73, [cell('d')], 'Edit');
  await persistChanges();
  expect(await loadRecords(71)).toEqual([]);
  expect(await loadRecords(73)).toMatchObject([{ changes: getChangeSet(73) }]);

  // A running request is stored as unconfirmed.
  const unconfirmed = { sentAt: 5, part: 'values', newEntryIds: [-1] } as const;
  markSending(73, unconfirmed);
  await persistChanges();
  expect(await loadRecords(73)).toMatchObject([{ changes: { unconfirmed } }]);
  resolveUnconfirmed(73);

  // Nothing is written after a sign-out, in this tab or another.
  markSignedOutElsewhere();
  dismissSignIn();
  await deleteStoredJobs();
  stageCells(73, [cell('g')], 'Edit');
  await persistChanges();
  expect(await loadRecords(73)).toEqual([]);
  applySessionIdentity(ME);
  await persistChanges();
  expect(await loadRecords(73)).toMatchObject([{ changes: getChangeSet(73) }]);
  sessionState.set('ended');
  stageCells(73, [cell('e')], 'Edit');
  await persistChanges();
  expect(await loadRecords(73)).not.toMatchObject([{ changes: getChangeSet(73) }]);
  sessionState.set('open');
  clearSession();
  await deleteStoredJobs();
  stageCells(73, [cell('f')], 'Edit');
  await persistChanges();
  expect(await loadRecords(73)).toEqual([]);
});

it('restores while acting only what was staged under the same acting report', async () => {
  const changes = stage(EMPTY_CHANGE_SET, [cell('b')], 'Edit');
  const save = (id: string, typeId: number, reportId?: number) =>
    recordStore.save(
      { id, format: 3, identity: { ...ME, ...(reportId !== undefined && { reportId }) }, typeId, changes },
      [],
    );
  await save('own', 72);
  await save('same report', 71, 5);
  await save('ended report', 73, 4);
  applySessionIdentity(ME);
  const acting = { ...ME, reportId: 5 };
  replaceSessionIdentity(acting);
  await startPersistence(acting, client);
  expect(getChangeSet(71)).toEqual(changes);
  expect([72, 73].map((typeId) => hasStagedChanges(getChangeSet(typeId)))).toEqual([false, false]);
  expect((await recordStore.loadJobs(ME)).map(({ id }) => id)).toEqual(['own']);
});
