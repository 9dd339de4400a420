import { expect, test } from 'vitest';
import { plain, readList, writeList, written } from './address.ts';

test.each([[['1', '4']], [['7']], [['yes', 'no']]])('the list %j comes back from its address', (list) => {
  expect(readList(writeList(list), /^\w+$/)).toEqual(list);
});

test('what makes no sense in a list is left out, and nothing is there twice', () => {
  expect(readList('4-9-4-x', /^[1-4]$/)).toEqual(['4']);
  expect(readList({ a: 1 }, /^[1-4]$/)).toEqual([]);
  expect(writeList([])).toBeUndefined();
});

test('a number is written as one, so that the address has no quotes', () => {
  expect(plain('42')).toBe(42);
  expect(plain('042')).toBe('042');
  expect(written(42)).toBe('42');
  expect(written(null)).toBeUndefined();
});
