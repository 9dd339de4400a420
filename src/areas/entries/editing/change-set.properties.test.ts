import { array, assert, nat, property } from 'fast-check';
import { expect, it } from 'vitest';
import {
  EMPTY_CHANGE_SET,
  countStaged,
  hasStagedChanges,
  redo,
  applyStored,
  stage,
  getStagedCells,
  undo,
  unstage,
  discard,
  applyDeleted,
  unstageDeletions,
  stageDeletions,
} from './change-set.ts';
import type { ChangeSet, StagedCell } from './change-set.ts';

/** Texts by cell: as the service stores them, or as the user sees them. */
type CellTexts = ReadonlyMap<string, string>;

/** Draws choices from generated numbers; 0 when they run out. */
function createChooser(numbers: readonly number[]) {
  let position = 0;
  return (choices: number): number => {
    position += 1;
    return (numbers[position - 1] ?? 0) % choices;
  };
}

const ENTRIES = 3;
const FIELDS = 2;
const VALUES = ['', 'a', 'A', 'b'];
const getKey = (entryId: number, fieldId: number) => `${entryId}/${fieldId}`;

const getText = ({ value, invalidInput }: Pick<StagedCell, 'value' | 'invalidInput'>): string => {
  if (invalidInput) return `?${invalidInput.text}`;
  return typeof value === 'string' ? value : '';
};

const getDeletionMark = (entryId: number) => `${entryId} deleted`;

/** Texts the user sees: staged values over stored ones, invalid input as typed, and a mark for each staged deletion. */
const getVisibleTexts = (changes: ChangeSet, stored: CellTexts): CellTexts => {
  const shown = new Map(stored);
  const stagedCells = [...changes.cells.values()].flatMap((entry) => [...entry.values()]);
  for (const { entryId, fieldId, value, invalidInput } of stagedCells) {
    const text = getText({ value, invalidInput });
    if (text === '') shown.delete(getKey(entryId, fieldId));
    else shown.set(getKey(entryId, fieldId), text);
  }
  for (const entryId of changes.deletions.keys()) shown.set(getDeletionMark(entryId), 'deleted');
  return shown;
};
const sorted = (stored: CellTexts) => [...stored].toSorted(([a], [b]) => a.localeCompare(b));

/** Chooses an entry; -1 is a new one. */
const chooseEntry = (next: (choices: number) => number): number => next(ENTRIES + 1) || -1;

/** Chooses cells as an editor stages them. */
function chooseCells(next: (choices: number) => number, changes: ChangeSet, stored: CellTexts): StagedCell[] {
  return Array.from({ length: 1 + next(3) }, () => {
    const [entryId, fieldId] = [chooseEntry(next), 1 + next(FIELDS)];
    const before = stored.get(getKey(entryId, fieldId));
    const cell = { entryId, fieldId, entryName: 'One', before };
    const value = VALUES[next(VALUES.length)] ?? '';
    if (next(5) > 0) return { ...cell, value: value === '' ? undefined : value };
    const shown = changes.cells.get(entryId)?.get(fieldId);
    return {
      ...cell,
      value: shown ? shown.value : before,
      invalidInput: { text: value, error: 'Enter a number' },
    };
  });
}

/** Stores cells as the service does; fails unless each has its expected value. */
function store(
  cells: readonly StagedCell[],
  stored: Map<string, string>,
  deletedIds: readonly number[],
): void {
  for (const { entryId, fieldId, value, before } of cells) {
    // Cells of entries to be deleted are not sent.
    expect(deletedIds).not.toContain(entryId);
    expect(stored.get(getKey(entryId, fieldId))).toBe(before);
    if (value === undefined) stored.delete(getKey(entryId, fieldId));
    else stored.set(getKey(entryId, fieldId), getText({ value }));
  }
}

const chooseEntries = (next: (choices: number) => number): number[] =>
  Array.from({ length: 1 + next(2) }, () => chooseEntry(next));

/** Moves all texts of an entry to another id, or removes them. */
function moveEntry(stored: Map<string, string>, from: number, to: number | undefined): void {
  const moved = [...stored].filter(([key]) => key === getDeletionMark(from) || key.startsWith(`${from}/`));
  for (const [key, value] of moved) {
    stored.delete(key);
    if (to !== undefined) stored.set(key.replace(`${from}/`, `${to}/`), value);
  }
}

const ROUNDS = 30;

it('shows the intended texts after any sequence of staging, undo, redo and sending', () => {
  const run = (choices: readonly number[]) => {
    const next = createChooser(choices);
    const stored = new Map([[getKey(1, 1), 'a']]);
    let changes = EMPTY_CHANGE_SET;
    let intended = new Map(stored);
    let lastId = ENTRIES;
    let undoStack: Map<string, string>[] = [];
    let redoStack: Map<string, string>[] = [];
    const step = (after: ChangeSet, nextIntended: Map<string, string>) => {
      if (after !== changes) {
        undoStack.push(intended);
        redoStack = [];
      }
      [changes, intended] = [after, nextIntended];
    };
    const deletedEntries = new Set<number>();
    const stageSome = () => {
      // Deleted entries have no row to edit.
      const cells = chooseCells(next, changes, stored).filter(({ entryId }) => !deletedEntries.has(entryId));
      const nextIntended = new Map(intended);
      for (const { entryId, fieldId, value, invalidInput } of cells) {
        const text = getText({ value, invalidInput });
        if (text === '') nextIntended.delete(getKey(entryId, fieldId));
        else nextIntended.set(getKey(entryId, fieldId), text);
      }
      step(stage(changes, cells, 'Stage'), nextIntended);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const action = next(13);
      if (action < 5) {
        stageSome();
      } else if (action === 5) {
        const out = getStagedCells(changes).filter(() => next(2) === 0);
        const nextIntended = new Map(intended);
        for (const { entryId, fieldId } of out) {
          const there = stored.get(getKey(entryId, fieldId));
          if (there === undefined) nextIntended.delete(getKey(entryId, fieldId));
          else nextIntended.set(getKey(entryId, fieldId), there);
        }
        step(unstage(changes, out, 'Remove'), nextIntended);
      } else if (action < 8) {
        const back = undoStack.pop();
        if (back) redoStack.push(intended);
        [changes, intended] = [undo(changes), back ?? intended];
      } else if (action === 8) {
        const again = redoStack.pop();
        if (again) undoStack.push(intended);
        [changes, intended] = [redo(changes), again ?? intended];
      } else if (action === 9) {
        const out = chooseEntries(next).filter((entryId) => !deletedEntries.has(entryId));
        const nextIntended = new Map(intended);
        for (const entryId of out) {
          if (entryId > 0) nextIntended.set(getDeletionMark(entryId), 'deleted');
          else for (const key of intended.keys()) if (key.startsWith(`${entryId}/`)) nextIntended.delete(key);
        }
        const deletions = out.map((entryId) => ({
          entryId,
          entryName: 'One',
          row: { EntryId: entryId },
          fieldIds: [],
        }));
        step(stageDeletions(changes, deletions, 'Delete'), nextIntended);
      } else if (action === 10) {
        const back = chooseEntries(next);
        const nextIntended = new Map(intended);
        for (const entryId of back) nextIntended.delete(getDeletionMark(entryId));
        step(unstageDeletions(changes, back, 'Keep'), nextIntended);
      } else if (action === 11) {
        step(discard(changes, 'Discard'), new Map(stored));
      } else {
        const sentCells = getStagedCells(changes).filter(({ invalidInput }) => !invalidInput);
        const deletedIds = [...changes.deletions.keys()];
        // The user continues editing while the request is running.
        if (next(2) > 0) stageSome();
        store(sentCells, stored, deletedIds);
        const isMade = sentCells.some(({ entryId }) => entryId < 0);
        if (isMade) {
          lastId += 1;
          moveEntry(stored, -1, lastId);
          moveEntry(intended, -1, lastId);
        }
        changes = applyStored(changes, sentCells, new Map(isMade ? [[-1, lastId]] : []));
        // The service may refuse some deletions.
        const deletedNow = deletedIds.filter(() => next(3) > 0);
        for (const entryId of deletedNow) {
          deletedEntries.add(entryId);
          moveEntry(stored, entryId, undefined);
          moveEntry(intended, entryId, undefined);
        }
        changes = applyDeleted(changes, deletedNow);
        [undoStack, redoStack] = [[], []];
      }
      const counts = countStaged(changes);
      expect(counts.cells).toBe(getStagedCells(changes).length);
      expect(hasStagedChanges(changes)).toBe(changes.cells.size + changes.deletions.size > 0);
      expect(sorted(getVisibleTexts(changes, stored))).toEqual(sorted(intended));
      for (const { entryId, fieldId, before, value, invalidInput } of getStagedCells(changes)) {
        expect(deletedEntries.has(entryId)).toBe(false);
        expect(stored.get(getKey(entryId, fieldId))).toBe(before);
        expect(invalidInput !== undefined || value !== before).toBe(true);
      }
    }
  };
  const choices = array(nat(59), { minLength: ROUNDS, maxLength: ROUNDS * 8 });
  assert(property(choices, run), { numRuns: 300 });
});
