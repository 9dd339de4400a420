import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinNames, splitNames } from './name-list.ts';

test('names are parted by semicolons; what has one in it is quoted', () => {
  expect(joinNames(['Sales', 'North; South', 'The "A" team'])).toBe(
    'Sales; "North; South"; "The ""A"" team"',
  );
  expect(splitNames('Sales;North ; "North; South" ;; ')).toEqual(['Sales', 'North', 'North; South']);
});

test('a quote that nobody closed is part of the name', () => {
  expect(splitNames('Sales; "North')).toEqual(['Sales', '"North']);
  expect(splitNames('6" pipes; Sales')).toEqual(['6" pipes', 'Sales']);
});

test('whatever names are joined come back', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.string({ unit: fc.constantFrom(';', '"', ' ', '\n', 'a'), minLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(name), (names) => {
      expect(splitNames(joinNames(names))).toEqual(names);
    }),
  );
});
