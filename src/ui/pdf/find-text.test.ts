import { expect, test } from 'vitest';
import { findFirstMatch, findMatches, foldWithOffsets, splitMatch } from './find-text.ts';

/** The texts of a page that match. */
const find = (text: string, query: string) =>
  findMatches(0, foldWithOffsets(text), query).map(({ start, end }) => text.slice(start, end));

test('finds text without regard to case, accents and kinds of white space', () => {
  expect(find('Café CAFE cafe\u0301s', 'café')).toEqual(['Café', 'CAFE', 'cafe']);
  expect(find('Hafen\n  Logistik', 'hafen logistik')).toEqual(['Hafen\n  Logistik']);
  expect(find('Die Straße', 'strasse')).toEqual(['Straße']);
  expect(find('😀 emoji', 'emoji')).toEqual(['emoji']);
});

test('matches do not overlap, and an empty query matches nothing', () => {
  expect(find('aaaa', 'aa')).toEqual(['aa', 'aa']);
  expect(find('text', ' ')).toEqual([]);
  expect(findMatches(0, foldWithOffsets('aaaa'), 'a', 3)).toHaveLength(3);
});

test('splits a match over the items of the text layer, without the space between lines', () => {
  // Items "Hafen" and "Logistik" with a space for the end of the first line.
  expect(splitMatch({ start: 3, end: 8 }, [0, 6], [5, 8])).toEqual([
    { item: 0, start: 3, end: 5 },
    { item: 1, start: 0, end: 2 },
  ]);
  expect(splitMatch({ start: 6, end: 7 }, [0, 6], [5, 8])).toEqual([{ item: 1, start: 0, end: 1 }]);
});

test('the search starts at the page in view and continues from the beginning', () => {
  const matches = [1, 4, 9].map((page) => ({ page, start: 0, end: 1 }));
  expect([0, 2, 9, 10].map((page) => findFirstMatch(matches, page))).toEqual([0, 1, 2, 0]);
  expect(findFirstMatch([], 3)).toBe(-1);
});
