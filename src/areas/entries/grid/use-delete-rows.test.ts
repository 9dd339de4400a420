import { afterEach, expect, it } from 'vitest';
import {
  discardChanges,
  getChangeSet,
  stageEntryDeletions,
  stageCells,
} from '../editing/change-set-store.ts';
import { createStagedDeletion } from '../editing/grid-editing.ts';
import { toggleDeletion } from './use-delete-rows.ts';

const rows = [{ EntryId: 5 }, { EntryId: 6 }];
const getStagedIds = () => [...getChangeSet(1).deletions.keys()];

// Test files share the module state.
afterEach(() => discardChanges(1, 'Discard changes'));

it('toggles staged deletions according to the state after loading', () => {
  // Staged while the rows were loading.
  stageEntryDeletions(
    1,
    rows.slice(0, 1).map((row) => createStagedDeletion(row, [])),
    'Delete 1 entry',
  );
  expect(toggleDeletion(1, rows, [])).toBe('2 entries will be deleted after review');
  expect(getStagedIds()).toEqual([5, 6]);
  stageCells(1, [{ entryId: 7, entryName: 'Seven', fieldId: 2, before: 1, value: 2 }], 'Edit');
  expect(toggleDeletion(1, rows, [])).toBe('2 entries will be kept');
  expect(getStagedIds()).toEqual([]);
  expect(getChangeSet(1).cells.get(7)?.get(2)?.value).toBe(2);
});

it('reports a selection without entries', () => {
  const before = getChangeSet(1);
  expect(toggleDeletion(1, [], [])).toBe('The selection contains no entries');
  expect(getChangeSet(1)).toBe(before);
});
