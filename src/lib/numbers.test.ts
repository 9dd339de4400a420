import { expect, it } from 'vitest';
import { formatDifference, formatNumber, pluralize } from './numbers.ts';
import { formatPercent, formatProgressPercent } from './percentages.ts';

it('groups digits and picks the noun', () => {
  expect(formatNumber(98_412)).toBe((98_412).toLocaleString());
  expect(pluralize(1, 'person', 'people')).toBe('1 person');
  expect(pluralize(0, 'person', 'people')).toBe('0 people');
});

it('formats differences with a sign and a true minus, and zero without one', () => {
  expect([12, -3, 0].map(formatDifference)).toEqual(['+12', '−3', '0']);
});

it('says 100 percent of a task at its end only, and rounds other shares', () => {
  expect([0, 0.995, 1].map(formatProgressPercent)).toEqual([0, 0.99, 1].map(formatPercent));
  expect(formatPercent(0.995)).toBe(formatPercent(1));
});
