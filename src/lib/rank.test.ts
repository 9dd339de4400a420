import { expect, it } from 'vitest';
import { rank } from './rank.ts';

const items = ['Regular rows', 'Groups', 'Agent server', 'Sign out', 'Señor Group'].map((label) => ({
  label,
}));
const labels = (typed: string) => rank(items, typed).map(({ label }) => label);

it('puts the beginning before a word before the middle', () => {
  expect(labels('group')).toEqual(['Groups', 'Señor Group']);
  expect(labels('s')).toEqual(['Sign out', 'Señor Group', 'Agent server', 'Regular rows', 'Groups']);
});

it('does not mind accents, case and blanks, and keeps the order without a word', () => {
  expect(labels(' SENOR ')).toEqual(['Señor Group']);
  expect(labels('')).toHaveLength(items.length);
  expect(labels('zzz')).toEqual([]);
});
