import { array, assert, property, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { getNearKey } from './near-names.ts';

test.each([
  ['Hafen Logistik', 'Hafen-Logistik GmbH'],
  ['Hafen Logistik', '  HAFENLOGISTIK  '],
  ['Société Générale S.A.', 'societe generale'],
  ['Müller & Söhne GmbH & Co. KG', 'Muller and Sohne'],
  ['Straße', 'STRASSE'],
  ["O'Neil Ltd.", 'O’Neil Limited'],
  ['The Coca-Cola Company', 'coca cola co'],
  ['Ørsted AS', 'orsted'],
  ['Fiat S.p.A.', 'Fiat spa'],
  ['ＡＢＣ', 'abc'],
])('%s and %s are near-duplicates', (first, second) => {
  expect(getNearKey(first)).toBeDefined();
  expect(getNearKey(first)).toBe(getNearKey(second));
});

test.each([
  ['Hafen Logistik', 'Hafen Logistics'],
  ['Block A', 'Block B'],
  ['Fund 1', 'Fund 11'],
  ['3M', 'M3'],
  ['कमल', 'कामिल'],
  ['AG', 'SE'],
  ['The Who', 'Guess Who'],
])('%s and %s are not near-duplicates', (first, second) => {
  expect(getNearKey(first)).not.toBe(getNearKey(second));
});

test('keeps a legal form or an article that is the whole name', () => {
  expect(getNearKey('SE')).toBe('se');
  expect(getNearKey('The')).toBe('the');
  expect(getNearKey('Co. Ltd.')).toBe('co');
});

test.each(['', '   ', '???', '—'])('returns undefined for %j', (name) => {
  expect(getNearKey(name)).toBeUndefined();
});

test('ignores case, outer spaces and punctuation between words', () => {
  assert(
    property(array(stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 4 }), (words) => {
      const expectedKey = getNearKey(words.join(' '));
      expect(getNearKey(` ${words.join(' - ').toUpperCase()}! `)).toBe(expectedKey);
    }),
  );
});
