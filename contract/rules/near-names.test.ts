import { array, assert, property, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { nearKey } from './near-names.ts';

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
])('%s and %s are near-duplicates', (one, other) => {
  expect(nearKey(one)).toBeDefined();
  expect(nearKey(one)).toBe(nearKey(other));
});

test.each([
  ['Hafen Logistik', 'Hafen Logistics'],
  ['Block A', 'Block B'],
  ['Fund 1', 'Fund 11'],
  ['3M', 'M3'],
  ['कमल', 'कामिल'],
  ['AG', 'SE'],
  ['The Who', 'Guess Who'],
])('%s and %s are not', (one, other) => {
  expect(nearKey(one)).not.toBe(nearKey(other));
});

test('a name that is nothing but a legal form or an article keeps it', () => {
  expect(nearKey('SE')).toBe('se');
  expect(nearKey('The')).toBe('the');
  expect(nearKey('Co. Ltd.')).toBe('co');
});

test.each(['', '   ', '???', '—'])('%j has no key', (name) => {
  expect(nearKey(name)).toBeUndefined();
});

test('case, outer spaces and punctuation between words never make a difference', () => {
  assert(
    property(array(stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 4 }), (words) => {
      const plain = nearKey(words.join(' '));
      expect(nearKey(` ${words.join(' - ').toUpperCase()}! `)).toBe(plain);
    }),
  );
});
