import { expect, test } from 'vitest';
import { mergeFields } from './profile-fields.ts';

const FIELDS = ['first', 'last', 'mail'] as const;
const base = { first: 'Ada', last: 'Okafor', mail: 'ada@x.example' };

test('reports fields changed by both as conflicts and merges fields changed only by others', () => {
  const mine = { ...base, last: 'Lind' };
  const theirs = { ...base, last: 'Okafor-Lind', mail: 'ada.l@x.example' };
  expect(mergeFields(FIELDS, { base, mine, theirs })).toEqual({
    conflicts: [{ field: 'last', theirs: 'Okafor-Lind', mine: 'Lind' }],
    merged: [{ field: 'mail', theirs: 'ada.l@x.example' }],
  });
});

test('ignores fields changed only by me or to the same value', () => {
  const mine = { ...base, first: 'Adaeze', last: 'Lind' };
  expect(mergeFields(FIELDS, { base, mine, theirs: { ...base, last: 'Lind' } })).toEqual({
    conflicts: [],
    merged: [],
  });
});
