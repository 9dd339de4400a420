import { describe, expect, it } from 'vitest';
import { isSameValue, toRequestValue } from '../model/values.ts';
import {
  EMPTY_CHANGE_SET,
  getUnconfirmedNewIds,
  createInverse,
  limitSteps,
  rebase,
  redo,
  applyStored,
  stage,
  getStagedCells,
  undo,
  unstage,
} from './change-set.ts';
import type { StagedCell } from './change-set.ts';
import { isAlreadyStored } from './current-cells.ts';

const cell = (
  entryId: number,
  value: StagedCell['value'],
  before: StagedCell['value'] = 'Old',
): StagedCell => ({
  entryId,
  fieldId: 7,
  entryName: `Entry ${entryId}`,
  before,
  value,
});
const choice = (id: number) => ({ id, name: `Choice ${id}`, seqNumber: id, entryListId: -6 });
const values = (changes: Parameters<typeof getStagedCells>[0]) =>
  getStagedCells(changes).map(({ entryId, value }) => [entryId, value]);

describe('staged changes', () => {
  it('undoes and redoes a paste as one step', () => {
    const pasted = stage(
      stage(EMPTY_CHANGE_SET, [cell(1, 'A')], 'Edit'),
      [cell(1, 'B'), cell(2, 'C')],
      'Paste',
    );
    expect(values(pasted)).toEqual([
      [1, 'B'],
      [2, 'C'],
    ]);
    const back = undo(pasted);
    expect(values(back)).toEqual([[1, 'A']]);
    expect(values(redo(back))).toEqual(values(pasted));
    expect(values(undo(back))).toEqual([]);
    expect(undo(EMPTY_CHANGE_SET)).toBe(EMPTY_CHANGE_SET);
  });

  it('keeps the original stored value and unstages a cell that returns to it', () => {
    const twice = stage(stage(EMPTY_CHANGE_SET, [cell(1, 'A')], 'Edit'), [cell(1, 'B', 'A')], 'Edit');
    expect(getStagedCells(twice)[0]?.before).toBe('Old');
    expect(getStagedCells(stage(twice, [cell(1, 'Old', 'B')], 'Edit'))).toEqual([]);
    expect(stage(EMPTY_CHANGE_SET, [cell(1, 'Old')], 'Edit')).toBe(EMPTY_CHANGE_SET);
    expect(values(stage(EMPTY_CHANGE_SET, [cell(1, 'OLD')], 'Edit'))).toEqual([[1, 'OLD']]);
  });

  it('unstages cells and restores them by undo', () => {
    const removed = unstage(
      stage(EMPTY_CHANGE_SET, [cell(1, 'A'), cell(2, 'B')], 'Paste'),
      [cell(2, '')],
      'Remove',
    );
    expect(values(removed)).toEqual([[1, 'A']]);
    expect(values(undo(removed))).toEqual([
      [1, 'A'],
      [2, 'B'],
    ]);
  });

  it('rebases later edits on the stored values and clears undo steps', () => {
    const sent = stage(EMPTY_CHANGE_SET, [cell(1, 'A'), cell(2, 'B')], 'Paste');
    const edited = stage(sent, [cell(2, 'C')], 'Edit');
    const after = applyStored(edited, getStagedCells(sent));
    expect(getStagedCells(after)).toEqual([cell(2, 'C', 'B')]);
    expect(after.undoSteps).toEqual([]);
  });

  it('keeps own values over those of others', () => {
    const mine = stage(EMPTY_CHANGE_SET, [cell(1, 'Mine')], 'Edit');
    expect(getStagedCells(rebase(mine, [cell(1, '', 'Theirs')]))[0]?.before).toBe('Theirs');
    expect(getStagedCells(rebase(mine, [cell(1, '', 'Mine')]))).toEqual([]);
  });

  it('drops the error of a cell once it is edited', () => {
    const refused = {
      ...stage(EMPTY_CHANGE_SET, [cell(1, 'A'), cell(2, 'B')], 'Paste'),
      errors: new Map([
        ['1/7', 'no'],
        ['2/7', 'no'],
      ]),
    };
    expect([...stage(refused, [cell(1, 'C')], 'Edit').errors.keys()]).toEqual(['2/7']);
  });

  it('inverts stored changes but not created entries', () => {
    expect(createInverse([cell(1, 'New'), cell(-1, 'Made', undefined)])).toEqual([cell(1, 'Old', 'New')]);
  });
});

const now = (value: string) => ({
  value,
  modified: undefined,
  modifiedBy: undefined,
  deletedMessage: undefined,
});

describe('an unanswered request', () => {
  const sent = [cell(1, 'New'), cell(-1, 'Made', undefined)];
  const unconfirmed = { sentAt: 1, part: 'values', newEntryIds: [-1] } as const;
  const unanswered = {
    ...sent.reduce((changes, each) => stage(changes, [each], 'Edit'), EMPTY_CHANGE_SET),
    unconfirmed,
  };

  it('holds back new entries until the user decides or an answer arrives', () => {
    expect(getUnconfirmedNewIds(unanswered)).toEqual([-1]);
    expect(getUnconfirmedNewIds(unstage(unanswered, sent, 'Remove'))).toEqual([]);
    expect(applyStored(unanswered, sent).unconfirmed).toBeUndefined();
  });

  it('detects values that are stored already', () => {
    expect(isAlreadyStored(cell(1, 'New'), now('New'))).toBe(true);
    expect(isAlreadyStored(cell(1, 'New'), now('Old'))).toBe(false);
    expect(isAlreadyStored(cell(1, 'New'), now('Other'))).toBe(false);
    expect(isAlreadyStored(cell(1, 'New'), undefined)).toBe(false);
  });
});

it('limits undo steps by their total size but keeps the last one', () => {
  const all = [1, 2, 3].reduce(
    (changes, id) => stage(changes, [cell(id, 'a'), cell(id + 10, 'a')], `${id}`),
    EMPTY_CHANGE_SET,
  );
  const labels = (maxMoves: number) => limitSteps(all, maxMoves).undoSteps.map(({ label }) => label);
  expect(labels(6)).toEqual(['1', '2', '3']);
  expect(labels(5)).toEqual(['2', '3']);
  expect(labels(1)).toEqual(['3']);
  expect(limitSteps(all, 1).cells).toBe(all.cells);
});

describe('request values', () => {
  it('are ids, amounts with currency, and null for no data', () => {
    expect(toRequestValue(choice(5))).toEqual({ value: 5 });
    expect(toRequestValue([choice(5), choice(6)])).toEqual({ value: [5, 6] });
    expect(toRequestValue({ value: 1.5, currencyCode: 'EUR' })).toEqual({ value: 1.5, currencyCode: 'EUR' });
    for (const nothing of [undefined, null, '', []]) expect(toRequestValue(nothing)).toEqual({ value: null });
    expect(toRequestValue(false)).toEqual({ value: false });
  });

  it('are compared without order and with case', () => {
    expect(isSameValue([choice(5), choice(6)], [choice(6), choice(5)])).toBe(true);
    expect(isSameValue([choice(5)], choice(5))).toBe(true);
    expect(isSameValue('Hafen', 'hafen')).toBe(false);
    expect(isSameValue({ value: 1, currencyCode: 'EUR' }, { value: 1, currencyCode: 'USD' })).toBe(false);
    expect(isSameValue(undefined, '')).toBe(true);
    expect(isSameValue(0, undefined)).toBe(false);
  });
});
