import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { createField } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import { EMPTY_CHANGE_SET } from './change-set.ts';
import { countPastedCells, fillRange, planPaste } from './paste.ts';

test('counts the cells of the range that a single text fills, and of blocks their own', () => {
  const range = { top: 0, bottom: 99_999, left: 0, right: 9 };
  expect(countPastedCells({ texts: [['x']] }, range)).toBe(1_000_000);
  expect(countPastedCells({ texts: [['x']] }, { top: 3, bottom: 3, left: 1, right: 1 })).toBe(1);
  expect(countPastedCells({ texts: [['a'], ['b', 'c']] }, range)).toBe(3);
});

test('fills a range with the exact value that was copied, although others have its name', async () => {
  const owner = createField(7, 'Owner', FIELD.user);
  const name = createField(1, 'Name');
  const value = { id: 42, name: 'Ada Marsh' };
  const range = { top: 0, bottom: 1, left: 0, right: 1 };
  const block = fillRange({ texts: [['Ada Marsh']], values: [[value]], fieldIds: [owner.id] }, range);
  const plan = await planPaste({
    block,
    rows: [
      { entryId: 1, entryName: 'One', row: { EntryId: 1 } },
      { entryId: 2, entryName: 'Two', row: { EntryId: 2 } },
    ],
    fields: [owner, name],
    sources: {
      schema: buildSchema([], []),
      findUsers: () => Promise.reject(new Error('No name is looked up')),
    },
    changes: EMPTY_CHANGE_SET,
    zone: 'UTC',
  });
  // The other column takes the text.
  expect(plan.map(({ outcome }) => outcome)).toEqual(
    [value, 'Ada Marsh', value, 'Ada Marsh'].map((filled) => ({ value: filled, isSame: false })),
  );
});
