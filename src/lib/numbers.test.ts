import { expect, it } from 'vitest';
import { count, counted } from './numbers.ts';

it('groups digits and picks the noun', () => {
  expect(count(98_412)).toBe((98_412).toLocaleString());
  expect(counted(1, 'person', 'people')).toBe('1 person');
  expect(counted(0, 'person', 'people')).toBe('0 people');
});
