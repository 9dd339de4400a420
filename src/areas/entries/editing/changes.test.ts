import { describe, expect, it } from 'vitest';
import {
  NO_CHANGES,
  inDoubt,
  inverse,
  lastSteps,
  rebase,
  redo,
  settled,
  stage,
  stagedIn,
  undo,
  unstage,
} from './changes.ts';
import type { StagedCell } from './changes.ts';
import { isThere } from './use-current.ts';
import { sameValue, writtenOf } from './written.ts';

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
const values = (changes: Parameters<typeof stagedIn>[0]) =>
  stagedIn(changes).map(({ entryId, value }) => [entryId, value]);

describe('staged changes', () => {
  it('takes a paste back and forth as one step', () => {
    const pasted = stage(stage(NO_CHANGES, [cell(1, 'A')], 'Edit'), [cell(1, 'B'), cell(2, 'C')], 'Paste');
    expect(values(pasted)).toEqual([
      [1, 'B'],
      [2, 'C'],
    ]);
    const back = undo(pasted);
    expect(values(back)).toEqual([[1, 'A']]);
    expect(values(redo(back))).toEqual(values(pasted));
    expect(values(undo(back))).toEqual([]);
    expect(undo(NO_CHANGES)).toBe(NO_CHANGES);
  });

  it('keeps what the service held at first, and forgets a cell that has it again', () => {
    const twice = stage(stage(NO_CHANGES, [cell(1, 'A')], 'Edit'), [cell(1, 'B', 'A')], 'Edit');
    expect(stagedIn(twice)[0]?.before).toBe('Old');
    expect(stagedIn(stage(twice, [cell(1, 'Old', 'B')], 'Edit'))).toEqual([]);
    expect(stage(NO_CHANGES, [cell(1, 'Old')], 'Edit')).toBe(NO_CHANGES);
    expect(values(stage(NO_CHANGES, [cell(1, 'OLD')], 'Edit'))).toEqual([[1, 'OLD']]);
  });

  it('takes cells out, and what is undone brings them back', () => {
    const removed = unstage(
      stage(NO_CHANGES, [cell(1, 'A'), cell(2, 'B')], 'Paste'),
      [cell(2, '')],
      'Remove',
    );
    expect(values(removed)).toEqual([[1, 'A']]);
    expect(values(undo(removed))).toEqual([
      [1, 'A'],
      [2, 'B'],
    ]);
  });

  it('goes on against what was stored, without a way behind it', () => {
    const sent = stage(NO_CHANGES, [cell(1, 'A'), cell(2, 'B')], 'Paste');
    const meanwhile = stage(sent, [cell(2, 'C')], 'Edit');
    const after = settled(meanwhile, stagedIn(sent));
    expect(stagedIn(after)).toEqual([cell(2, 'C', 'B')]);
    expect(after.done).toEqual([]);
  });

  it('keeps mine against theirs', () => {
    const mine = stage(NO_CHANGES, [cell(1, 'Mine')], 'Edit');
    expect(stagedIn(rebase(mine, [cell(1, '', 'Theirs')]))[0]?.before).toBe('Theirs');
    expect(stagedIn(rebase(mine, [cell(1, '', 'Mine')]))).toEqual([]);
  });

  it('drops what the service said against a cell once it is changed', () => {
    const refused = {
      ...stage(NO_CHANGES, [cell(1, 'A'), cell(2, 'B')], 'Paste'),
      faults: new Map([
        ['1/7', 'no'],
        ['2/7', 'no'],
      ]),
    };
    expect([...stage(refused, [cell(1, 'C')], 'Edit').faults.keys()]).toEqual(['2/7']);
  });

  it('turns what was stored around, but does not unmake entries', () => {
    expect(inverse([cell(1, 'New'), cell(-1, 'Made', undefined)])).toEqual([cell(1, 'Old', 'New')]);
  });
});

const now = (value: string) => ({ value, modified: undefined, modifiedBy: undefined, gone: undefined });

describe('a request that was not answered', () => {
  const sent = [cell(1, 'New'), cell(-1, 'Made', undefined)];
  const doubt = { at: 1, part: 'values', made: [-1] } as const;
  const doubted = { ...sent.reduce((all, one) => stage(all, [one], 'Edit'), NO_CHANGES), doubt };

  it('holds back new entries until somebody decided, or an answer came', () => {
    expect(inDoubt(doubted)).toEqual([-1]);
    expect(inDoubt(unstage(doubted, sent, 'Remove'))).toEqual([]);
    expect(settled(doubted, sent).doubt).toBeUndefined();
  });

  it('is seen by values that are there already; those of others are not', () => {
    expect(isThere(cell(1, 'New'), now('New'))).toBe(true);
    expect(isThere(cell(1, 'New'), now('Old'))).toBe(false);
    expect(isThere(cell(1, 'New'), now('Other'))).toBe(false);
    expect(isThere(cell(1, 'New'), undefined)).toBe(false);
  });
});

it('keeps so many steps as are small enough together, the last one in any case', () => {
  const all = [1, 2, 3].reduce(
    (so, id) => stage(so, [cell(id, 'a'), cell(id + 10, 'a')], `${id}`),
    NO_CHANGES,
  );
  const labels = (most: number) => lastSteps(all, most).done.map(({ label }) => label);
  expect(labels(6)).toEqual(['1', '2', '3']);
  expect(labels(5)).toEqual(['2', '3']);
  expect(labels(1)).toEqual(['3']);
  expect(lastSteps(all, 1).cells).toBe(all.cells);
});

describe('written values', () => {
  it('are ids, amounts with their currency, and null for nothing', () => {
    expect(writtenOf(choice(5))).toEqual({ value: 5 });
    expect(writtenOf([choice(5), choice(6)])).toEqual({ value: [5, 6] });
    expect(writtenOf({ value: 1.5, currencyCode: 'EUR' })).toEqual({ value: 1.5, currencyCode: 'EUR' });
    for (const nothing of [undefined, null, '', []]) expect(writtenOf(nothing)).toEqual({ value: null });
    expect(writtenOf(false)).toEqual({ value: false });
  });

  it('are compared without an order of several, with the case of letters', () => {
    expect(sameValue([choice(5), choice(6)], [choice(6), choice(5)])).toBe(true);
    expect(sameValue([choice(5)], choice(5))).toBe(true);
    expect(sameValue('Hafen', 'hafen')).toBe(false);
    expect(sameValue({ value: 1, currencyCode: 'EUR' }, { value: 1, currencyCode: 'USD' })).toBe(false);
    expect(sameValue(undefined, '')).toBe(true);
    expect(sameValue(0, undefined)).toBe(false);
  });
});
