import { expect, test } from 'vitest';
import {
  toSearchValue,
  parseIds,
  parseList,
  parseOrder,
  omitUndefined,
  formatList,
  formatOrder,
  readSearchText,
} from './search-params.ts';

test.each([[['1', '4']], [['7']], [['yes', 'no']]])('parses the formatted list %j back', (list) => {
  expect(parseList(formatList(list), /^\w+$/)).toEqual(list);
});

test('drops invalid values and duplicates of a list', () => {
  expect(parseList('4-9-4-x', /^[1-4]$/)).toEqual(['4']);
  expect(parseList({ a: 1 }, /^[1-4]$/)).toEqual([]);
  expect(formatList([])).toBeUndefined();
});

test('writes a number without quotes', () => {
  expect(toSearchValue('42')).toBe(42);
  expect(toSearchValue('042')).toBe('042');
  expect(readSearchText(42)).toBe('42');
  expect(readSearchText(null)).toBe('');
});

test('accepts only positive whole numbers as ids', () => {
  expect(parseIds('3-17-3-0-x-1.5-2147483648')).toEqual([3, 17]);
  expect(parseIds(2_147_483_647)).toEqual([2_147_483_647]);
  expect(parseIds(7)).toEqual([7]);
});

const KEYS = ['name', 'members'] as const;

test.each([
  [{ by: 'name', descending: false } as const, undefined],
  [{ by: 'name', descending: true } as const, '-name'],
  [{ by: 'members', descending: false } as const, 'members'],
])('formats the order %j as %j and parses it back', (order, text) => {
  expect(formatOrder(order, KEYS)).toBe(text);
  expect(parseOrder(text, KEYS)).toEqual(order);
});

test('replaces an invalid order by the first key', () => {
  expect(parseOrder('-nothing', KEYS)).toEqual({ by: 'name', descending: false });
});

test('omits undefined properties', () => {
  expect(Object.keys(omitUndefined({ q: undefined, sort: 'name' }))).toEqual(['sort']);
});
