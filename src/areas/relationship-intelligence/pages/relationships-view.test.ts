import { expect, test } from 'vitest';
import {
  parseRelationshipsView,
  serializeRelationshipsView,
  startChangedFilter,
} from './relationships-view.ts';

test.each([{}, { q: 'outside.example', userId: 7, page: 3 }, { entryId: 5 }])(
  '%o is parsed and written again',
  (search) => {
    expect(serializeRelationshipsView(parseRelationshipsView(search))).toEqual(search);
  },
);

test('falls back to the first page', () => {
  for (const page of [0, -1, 1.5, 'two', null]) expect(parseRelationshipsView({ page }).page).toBe(1);
});

test('a changed filter starts at the first page', () => {
  const current = parseRelationshipsView({ q: 'outside.example', userId: 7, entryId: 5, page: 3 });
  for (const change of [{ q: '' }, { userId: undefined }, { entryId: undefined }])
    expect(startChangedFilter(current, { ...current, ...change })).toEqual({
      ...current,
      ...change,
      page: 1,
    });
  expect(startChangedFilter(current, { ...current, page: 4 })).toEqual({ ...current, page: 4 });
});
