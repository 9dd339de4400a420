import { expect, it } from 'vitest';
import { changesOf, deleteEntriesOf, stageCells } from '../editing/store.ts';
import { deletionOf } from './sheet.ts';
import { turnGoing } from './use-delete-rows.ts';

const rows = [{ EntryId: 5 }, { EntryId: 6 }];
const going = () => [...changesOf(1).deletions.keys()];

it('stages that rows go, then that they stay, as it is staged when they have been read', () => {
  // Somebody else's step while they were read.
  deleteEntriesOf(
    1,
    rows.slice(0, 1).map((row) => deletionOf(row, [])),
    'Delete 1 entry',
  );
  expect(turnGoing(1, rows, [])).toBe('2 entries to be deleted, once you have reviewed it');
  expect(going()).toEqual([5, 6]);
  stageCells(1, [{ entryId: 7, entryName: 'Seven', fieldId: 2, before: 1, value: 2 }], 'Edit');
  expect(turnGoing(1, rows, [])).toBe('2 entries to be kept');
  expect(going()).toEqual([]);
  expect(changesOf(1).cells.get(7)?.get(2)?.value).toBe(2);
});

it('says so where no row is there any more', () => {
  const before = changesOf(1);
  expect(turnGoing(1, [], [])).toBe('There is no entry any more where the selection is');
  expect(changesOf(1)).toBe(before);
});
