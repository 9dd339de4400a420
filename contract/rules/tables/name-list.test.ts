import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatNameList, parseNameList } from './name-list.ts';

test('separates names by semicolons and quotes names that contain one', () => {
  expect(formatNameList(['Sales', 'North; South', 'The "A" team'])).toBe(
    'Sales; "North; South"; "The ""A"" team"',
  );
  expect(parseNameList('Sales;North ; "North; South" ;; ')).toEqual(['Sales', 'North', 'North; South']);
});

test('treats an unbalanced quote as part of the name', () => {
  expect(parseNameList('Sales; "North')).toEqual(['Sales', '"North']);
  expect(parseNameList('6" pipes; Sales')).toEqual(['6" pipes', 'Sales']);
});

test('parses every formatted list back', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.string({ unit: fc.constantFrom(';', '"', ' ', '\n', 'a'), minLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(name), (names) => {
      expect(parseNameList(formatNameList(names))).toEqual(names);
    }),
  );
});
