import { expect, test } from 'vitest';
import { mergeFields } from './merge.ts';

const FIELDS = ['first', 'last', 'mail'] as const;
const base = { first: 'Ada', last: 'Okafor', mail: 'ada@x.example' };

test('what both changed differently is to be decided, what only they changed is taken', () => {
  const mine = { ...base, last: 'Lind' };
  const theirs = { ...base, last: 'Okafor-Lind', mail: 'ada.l@x.example' };
  expect(mergeFields(FIELDS, { base, mine, theirs })).toEqual({
    clashes: [{ field: 'last', theirs: 'Okafor-Lind', mine: 'Lind' }],
    taken: [{ field: 'mail', theirs: 'ada.l@x.example' }],
  });
});

test('what only I changed, and what both changed alike, is nothing to ask about', () => {
  const mine = { ...base, first: 'Adaeze', last: 'Lind' };
  expect(mergeFields(FIELDS, { base, mine, theirs: { ...base, last: 'Lind' } })).toEqual({
    clashes: [],
    taken: [],
  });
});
