import { expect, test } from 'vitest';
import { plain, readIds, readList, readOrder, spoken, writeList, writeOrder, written } from './address.ts';

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
  expect(written(null)).toBe('');
});

test('ids are whole numbers from 1 on', () => {
  expect(readIds('3-17-3-0-x-1.5')).toEqual([3, 17]);
  expect(readIds(7)).toEqual([7]);
});

const KEYS = ['name', 'members'] as const;

test.each([
  [{ by: 'name', descending: false } as const, undefined],
  [{ by: 'name', descending: true } as const, '-name'],
  [{ by: 'members', descending: false } as const, 'members'],
])('the order %j is written %j and comes back', (order, text) => {
  expect(writeOrder(order, KEYS)).toBe(text);
  expect(readOrder(text, KEYS)).toEqual(order);
});

test('an order that nobody could have meant is the first key', () => {
  expect(readOrder('-nothing', KEYS)).toEqual({ by: 'name', descending: false });
});

test('what is not said does not stand in the address', () => {
  expect(Object.keys(spoken({ q: undefined, sort: 'name' }))).toEqual(['sort']);
});
