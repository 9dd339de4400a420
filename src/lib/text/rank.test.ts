import { expect, it } from 'vitest';
import { rankByLabel } from './rank.ts';

const items = ['Regular rows', 'Groups', 'Agent server', 'Sign out', 'Señor Group'].map((label) => ({
  label,
}));
const labels = (typed: string) => rankByLabel(items, typed).map(({ label }) => label);

it('ranks a prefix of the label before a prefix of a word before other matches', () => {
  expect(labels('group')).toEqual(['Groups', 'Señor Group']);
  expect(labels('s')).toEqual(['Sign out', 'Señor Group', 'Agent server', 'Regular rows', 'Groups']);
});

it('ignores accents, case and blanks, and keeps the order for an empty text', () => {
  expect(labels(' SENOR ')).toEqual(['Señor Group']);
  expect(labels('')).toHaveLength(items.length);
  expect(labels('zzz')).toEqual([]);
});
