import { expect, it } from 'vitest';
import { formatNumber, pluralize } from './numbers.ts';

it('groups digits and picks the noun', () => {
  expect(formatNumber(98_412)).toBe((98_412).toLocaleString());
  expect(pluralize(1, 'person', 'people')).toBe('1 person');
  expect(pluralize(0, 'person', 'people')).toBe('0 people');
});
